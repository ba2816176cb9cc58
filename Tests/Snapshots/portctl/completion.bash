# bash completion for portctl
_portctl() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= words= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --socket | --timeout) ((i++)) ;;
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case "$command $previous" in
    *' --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    *' --timeout') return ;;
    tap' --hold') return ;;
    tap' --count') return ;;
    tap' --interval') return ;;
    swipe' --duration') return ;;
    swipe' --steps') return ;;
    pinch' --radius') return ;;
    pinch' --duration') return ;;
    key' --hold') return ;;
  esac
  case "$command" in
    '') words='tap swipe pinch key services windows completion man help --socket --timeout --json --quiet --help --version' ;;
    tap) words='--hold --count --interval --socket --timeout --json --quiet --help' ;;
    swipe) words='--duration --steps --socket --timeout --json --quiet --help' ;;
    pinch) words='--radius --duration --socket --timeout --json --quiet --help' ;;
    key) words='--hold --socket --timeout --json --quiet --help' ;;
    services) words='--socket --timeout --json --quiet --help' ;;
    windows) words='--socket --timeout --json --quiet --help' ;;
    completion) words='bash zsh fish --socket --timeout --json --quiet --help' ;;
    man) words='--socket --timeout --json --quiet --help' ;;
    help) words='tap swipe pinch key services windows completion man' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _portctl portctl
