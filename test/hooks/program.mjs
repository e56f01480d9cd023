// Plays the program of an agent: it starts hooks and commands through a shell and the server by itself, as real ones do.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [baton] = process.argv.slice(2)
let server
const waiting = new Map()

const ended = (child, input) =>
  new Promise((done) => {
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (text) => (stdout += text))
    child.stderr.on('data', (text) => (stderr += text))
    // A hook with nothing to say ends without reading.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('close', (code) => done({ code, stdout, stderr }))
  })

function ask(method, params) {
  const id = waiting.size + 1
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  return new Promise((done) => waiting.set(id, done))
}

async function serve(agent, name) {
  server = spawn(process.execPath, [baton, 'mcp', '--agent', agent], { stdio: ['pipe', 'pipe', 'inherit'] })
  createInterface({ input: server.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    waiting.get(id)?.(result ?? { error })
  })
  const clientInfo = { name, version: '1' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { agent, client, tool, args, shell, input = '' } = JSON.parse(line)
  if (tool && !server) await serve(agent, client)
  const answer = tool
    ? await ask('tools/call', { name: tool, arguments: args })
    : await ended(spawn('sh', ['-c', shell]), input)
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
server?.kill()
