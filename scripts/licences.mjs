// The licence texts of the packages that a bundle holds.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ALLOWED = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
]

export function licenceTexts(moduleIds) {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined))
  const texts = [...folders].map(licenceOf).sort((a, b) => (a.title < b.title ? -1 : 1))
  const rule = '-'.repeat(78)
  return [
    'Baton contains code of these packages. Their licences follow.\n',
    ...texts.map(({ title, text }) => `${rule}\n${title}\n\n${text.trim()}\n`),
  ].join('\n')
}

function packageFolder(moduleId) {
  return /^(?:\0[^/]*)?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(moduleId)?.[1]
}

function licenceOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!ALLOWED.includes(license)) throw new Error(`${name} has the licence ${license}, which is not allowed.`)
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|unlicense|copying|notice)\b/i.test(file))
  const owner = author?.name ?? author ?? 'its authors'
  const texts = files.length
    ? files.map((file) => readFileSync(join(folder, file), 'utf8'))
    : [`Published under the ${license} licence by ${owner}; the package holds no text of it.`]
  return { title: `${name} ${version} (${license})`, text: texts.join('\n\n') }
}
