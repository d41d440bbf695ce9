# bash completion for ulnetd. Options, and the words that they take, come from the program's own
# help.

_ulnetd() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=
  COMPREPLY=()
  command -v "$program" >/dev/null || return
  case $previous in
  --config | -c | --control | --modparams | --log-file) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  --if | -i) mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/net)" -- "$current") ;;
  --user) mapfile -t COMPREPLY < <(compgen -u -- "$current") ;;
  --mode | --log-format | --log-level)
    words=$("$program" --help 2>/dev/null | sed -nE "s/^.*$previous [A-Z]+:\{([a-z,]+)\}.*/\1/p")
    mapfile -t COMPREPLY < <(compgen -W "${words//,/ }" -- "$current")
    ;;
  --name | -n | --net | --set | -s | --accept-port | --metrics | --drain) ;; # no values to offer
  *) mapfile -t COMPREPLY < <(compgen -W "help $("$program" --help 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)" -- "$current") ;;
  esac
}

complete -o filenames -F _ulnetd ulnetd
