# bash completion for ulnet-lab. Commands, options and names come from the program itself.

_ulnet_lab_names() { # names of laboratories, only those with plain letters: compgen -W expands its words as the shell does
  "$1" list 2>/dev/null | sed -nE '1d; s/^([A-Za-z0-9_][A-Za-z0-9._-]*) .*/\1/p'
}

_ulnet_lab_nodes() { # nodes of the named laboratory, or of the only one
  "$1" status ${2:+"$2"} 2>/dev/null | sed -nE '1,2d; s/^([A-Za-z0-9_][A-Za-z0-9_-]*) .*/\1/p'
}

_ulnet_lab() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words= lab= i
  COMPREPLY=()
  command -v "$program" >/dev/null || return
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == --lab ]] && lab=${COMP_WORDS[i + 1]}
    [[ ${COMP_WORDS[i]} == -- && $command == exec ]] && { mapfile -t COMPREPLY < <(compgen -c -- "$current"); return; }
  done
  if ((COMP_CWORD == 1)); then
    words="$("$program" --list-commands) --help --version"
  elif [[ $previous == --lab ]]; then
    words=$(_ulnet_lab_names "$program")
  elif [[ $current == -* ]]; then
    words=$("$program" "$command" --help 2>/dev/null | grep -oE -- '--[a-z]+' | sort -u)
  elif [[ $command == link ]] && ((COMP_CWORD == 2)); then
    words="down up rate"
  else
    case $command in
    down | clean | status | view | top) words=$(_ulnet_lab_names "$program") ;;
    exec | shell | logs | link | kill | pause | resume | restart | measure) words=$(_ulnet_lab_nodes "$program" "$lab") ;;
    capture) words=$(_ulnet_lab_nodes "$program" "$lab"); mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    up | check | draw | scenario)
      words=$("$program" topologies 2>/dev/null | sed -nE 's/^([a-z0-9-]+) .*/\1/p')
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    run)
      words=$("$program" experiments 2>/dev/null | sed -nE 's/^([a-z0-9-]+) .*/\1/p')
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
  fi
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o filenames -F _ulnet_lab ulnet-lab
