export { nearest } from './domain/nearest.ts'
