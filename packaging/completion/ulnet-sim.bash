# bash completion for ulnet-sim. Commands and options come from the program's own help.

_ulnet_sim() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  command -v "$program" >/dev/null || return
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-commands) --help --version" -- "$current")
  elif [[ $previous == --keep ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" "$command" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)" -- "$current")
  elif [[ $command == run || $previous == --svg ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

complete -o filenames -F _ulnet_sim ulnet-sim
