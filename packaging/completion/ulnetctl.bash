# bash completion for ulnetctl and for lnetctl, a link to it. Commands and options come from the
# program's own help.

_ulnetctl_subcommands() { # $1: program, $2: command. "net add: ..." gives add; "drop add: ..." of fault gives drop
  "$1" "$2" --help 2>/dev/null </dev/null | sed -nE "s/^$2 ([a-z_-]+):.*/\1/p; t; s/^([a-z_-]+) [a-z_-]+:.*/\1/p" | sort -u
}

_ulnetctl_options() { # $@: the program and the words so far
  "$@" --help 2>/dev/null </dev/null | sed -nE 's/^\t(--[a-z0-9_-]+).*/\1/p'
}

# compgen -W expands its words as the shell does. Names that others may have chosen are taken only
# if they have plain letters.

_ulnetctl_nodes() { # the names of the nodes with a control socket on this machine
  local folder
  for folder in /run/ulnet "${XDG_RUNTIME_DIR:-/tmp/none}/ulnet" "/tmp/ulnet-$UID"; do
    [[ -d $folder ]] && find "$folder" -maxdepth 1 -name '*.sock' -printf '%f\n' 2>/dev/null
  done | sed -nE 's/^([A-Za-z0-9_][A-Za-z0-9._-]*)\.sock$/\1/p' | sort -u
}

_ulnetctl_nids() { # $@: the program and the command that shows NIDs
  "$@" 2>/dev/null </dev/null | sed -nE 's/^(- *nid: *|-? *)([A-Za-z0-9.:]+@[a-z0-9]+)$/\2/p'
}

_ulnetctl_params() {
  "$@" param show 2>/dev/null </dev/null | sed -nE 's/^ +([a-z0-9_]+):.*/\1/p'
}

_ulnetctl() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} i
  local -a words=() node=("$program")
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    --control) i=$((i + 1)) node+=(--control "${COMP_WORDS[i]}") ;;
    -*) ;;
    *) words+=("${COMP_WORDS[i]}") ;;
    esac
  done
  command -v "$program" >/dev/null || return
  if [[ $previous == --control ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_nodes)" -- "$current"; compgen -f -- "$current")
  elif ((${#words[@]} == 0)); then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-commands) --control --json --list-commands --version --help" -- "$current")
  else
    case ${words[0]} in
    import | export | legacy2yaml)
      mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_options "$program" "${words[0]}")" -- "$current"; compgen -f -- "$current")
      ;;
    ping | discover | cpt-of-nid | trace | events | status | reload)
      mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_options "$program" "${words[0]}")
        $(_ulnetctl_nids "${node[@]}" peer list)" -- "$current")
      ;;
    list_nids | service-id | setup-mrrouting | setup-sysctl)
      mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_options "$program" "${words[0]}")" -- "$current")
      ;;
    file)
      mapfile -t COMPREPLY < <(compgen -W "$("$program" file --help 2>/dev/null </dev/null | sed -nE 's/^\tNAME: //p' | tr -d ,)" -- "$current")
      ;;
    help)
      if ((${#words[@]} == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" --list-commands)" -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_subcommands "$program" "${words[1]}")" -- "$current")
      fi
      ;;
    fault)
      case ${#words[@]} in
      1) mapfile -t COMPREPLY < <(compgen -W "drop delay" -- "$current") ;;
      2) mapfile -t COMPREPLY < <(compgen -W "add del reset show" -- "$current") ;;
      *) mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_options "$program" "${words[@]:0:3}")" -- "$current") ;;
      esac
      ;;
    selection)
      case ${#words[@]} in
      1) mapfile -t COMPREPLY < <(compgen -W "net nid peer" -- "$current") ;;
      2) mapfile -t COMPREPLY < <(compgen -W "add del show" -- "$current") ;;
      *) mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_options "$program" "${words[@]:0:3}") --json" -- "$current") ;;
      esac
      ;;
    *)
      if ((${#words[@]} == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_subcommands "$program" "${words[0]}")" -- "$current")
      elif [[ $previous == --nid && ${words[0]} == net ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_nids "${node[@]}" list_nids)" -- "$current")
      elif [[ $previous == --picture ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      elif [[ $previous == --nid && ${words[*]:0:2} == "debug peer" ]] || [[ $previous == --@(nid|prim_nid) && ${words[0]} == peer ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_nids "${node[@]}" peer list)" -- "$current")
      elif [[ $previous == --to && ${words[0]} == debug ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_nids "${node[@]}" peer list)" -- "$current")
      elif [[ $previous == --from && ${words[0]} == debug ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_nids "${node[@]}" list_nids)" -- "$current")
      elif [[ $previous == --net ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_nids "${node[@]}" list_nids | sed 's/.*@//' | sort -u)" -- "$current")
      elif [[ ${words[*]} == "set discovery" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "0 1 2 verify" -- "$current")
      elif [[ ${words[*]} == "set "@(routing|drop_asym_route) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "0 1" -- "$current")
      elif [[ $previous == --gateway && ${words[0]} == route ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_nids "${node[@]}" peer list)" -- "$current")
      elif [[ $previous == --net && ${words[*]:0:2} == "route "@(del|show) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("${node[@]}" route show 2>/dev/null </dev/null | sed -nE 's/^- *net: *([a-z0-9]+)$/\1/p' | sort -u)" -- "$current")
      elif [[ ${words[*]} == "set portal_rotor" ]]; then
        mapfile -t COMPREPLY < <(compgen -W "OFF ON RR_RT HASH_RT" -- "$current")
      elif [[ ${words[0]} == param && $current != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_params "${node[@]}")" -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_ulnetctl_options "$program" "${words[@]:0:2}") --json" -- "$current")
      fi
      ;;
    esac
  fi
}

complete -F _ulnetctl ulnetctl lnetctl
