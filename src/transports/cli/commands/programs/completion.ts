import type { Command } from '../../command.ts'

/** The scripts ask `baton __complete` with the words so far; it answers one candidate with its meaning per line. */
const SCRIPTS = {
  bash: `_baton() {
  local line words=()
  while IFS= read -r line; do
    words+=("\${line%%$'\\t'*}")
  done < <(baton __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${words[@]}")
}
complete -o default -F _baton baton`,
  zsh: `#compdef baton
_baton() {
  local line
  local -a found
  while IFS= read -r line; do
    if [[ $line == *$'\\t'* ]]; then
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    else
      found+=("\${line//:/\\\\:}")
    fi
  done < <(baton __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then
    _describe 'baton' found
  else
    _files
  fi
}
compdef _baton baton`,
  fish: `function __baton_complete
    set -l words (commandline -opc)
    baton __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c baton -a '(__baton_complete)'`,
} as const

const HOW: Readonly<Record<keyof typeof SCRIPTS, string>> = {
  bash: 'echo \'eval "$(baton completion bash)"\' >> ~/.bashrc',
  zsh: 'echo \'eval "$(baton completion zsh)"\' >> ~/.zshrc',
  fish: 'baton completion fish > ~/.config/fish/completions/baton.fish',
}

export const completionFor = (shellName: keyof typeof SCRIPTS): Command => ({
  name: `completion ${shellName}`,
  summary: `Prints the completion of ${shellName}: commands, options and ids.`,
  examples: [HOW[shellName], `baton completion ${shellName}`],
  async run(shell) {
    shell.print(SCRIPTS[shellName])
  },
})
