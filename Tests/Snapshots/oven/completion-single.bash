# bash completion for kiln
_kiln() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= words= i
  COMPREPLY=()
  case "$command $previous" in
    *' --level') mapfile -t COMPREPLY < <(compgen -W 'low high' -- "$current"); return ;;
  esac
  case "$command" in
    '') words='--level --help --version' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _kiln kiln
