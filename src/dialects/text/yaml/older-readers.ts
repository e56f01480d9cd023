import { Schema } from 'yaml'

/** What PyYAML and others, which read YAML 1.1, take for a truth value, a number, a day or a sign where it has no quotes. */
const ODD = [
  /^(?:yes|no|on|off|true|false|null|~|)$/i,
  /^[-+]?(?:0b[01_]+|0x[\da-f_]+|0o?[0-7_]+|\d[\d_]*(?:\.[\d_]*)?(?:e[-+]?\d+)?|\.[\d_]+(?:e[-+]?\d+)?)$/i,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^[-+]?\.(?:inf|nan)$/i,
  /^(?:=|<<)$/,
  /^\d{4}-\d\d?-\d\d?(?:$|[Tt \t])(?!\d\d:\d\d:\d\d(?:\.\d+)?Z$)/,
]

/**
 * Puts such texts into quotes. An instant stays as the documents write it, and is one to every reader. Made once: a
 * schema takes longer to make than an entry to print.
 */
export const OLDER_READERS = new Schema({
  schema: 'core',
  resolveKnownTags: true,
  compat: ODD.map((test) => ({
    tag: 'tag:yaml.org,2002:older',
    default: true,
    test,
    resolve: (text: string) => text,
  })),
})
