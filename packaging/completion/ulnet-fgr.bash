# bash completion for ulnet-fgr. Commands and options come from the program's own help.

_ulnet_fgr() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  command -v "$program" >/dev/null || return
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-commands) --help --version" -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)" -- "$current")
  elif [[ $previous == --router-kind ]]; then
    mapfile -t COMPREPLY < <(compgen -W "xe xc30-single-hca xc30-dual-hca" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

complete -o filenames -F _ulnet_fgr ulnet-fgr
