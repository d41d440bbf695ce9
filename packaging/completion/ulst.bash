# bash completion for ulst and for lst, a link to it. Commands and options come from the program
# itself.

_ulst_names() { # $@: the program and the command that lists names. Only names with plain letters: compgen -W expands its words as the shell does
  "$@" 2>/dev/null </dev/null | sed -nE 's/^[0-9]+\) ([A-Za-z0-9_][A-Za-z0-9._@-]*)$/\1/p'
}

_ulst() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    --control | --nets | --set) i=$((i + 1)) ;;
    -*) ;;
    *) command=${command:-${COMP_WORDS[i]}} ;;
    esac
  done
  command -v "$program" >/dev/null || return
  if [[ $previous == --control ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-commands) --control --standalone --nets --set --list-commands --version --help" -- "$current")
  elif [[ $command == help ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-commands)" -- "$current")
  elif [[ $command == *_batch || $command == run || $command == stop || $command == query || $previous == --batch ]] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_ulst_names "$program" list_batch)" -- "$current")
  elif [[ $command == *_group || $command == stat || $command == show_error || $previous == --from || $previous == --to ]] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_ulst_names "$program" list_group)" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$("$program" help "$command" 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)" -- "$current")
  fi
}

complete -F _ulst ulst lst
