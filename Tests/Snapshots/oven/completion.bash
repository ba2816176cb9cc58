# bash completion for oven
_oven() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= words= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --socket) ((i++)) ;;
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case "$command $previous" in
    *' --socket') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    bake' --time') return ;;
    bake' --loaves') return ;;
    bake' --tin') return ;;
  esac
  case "$command" in
    '') words='bake place help --socket --json --help --version' ;;
    bake) words='rye wheat --time --loaves --tin --steam --socket --json --help' ;;
    place) words='--socket --json --help' ;;
    help) words='bake place' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _oven oven
