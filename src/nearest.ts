export { nearest } from './domain/texts/nearest.ts'
