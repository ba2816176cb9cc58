#compdef oven
_oven() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \
    '--socket[Where the oven listens]:PATH:_files' \
    '--json[Print JSON]' \
    '--help[Show this help and leave]' \
    '--version[Show the version and leave]' \
    '1: :->command' \
    '*:: :->argument'
  case $state in
    command)
      local -a commands=(
        'bake:Bake what you name'
        'place:Put loaves on a shelf'
        'help:Tell more of a command'
      )
      _describe command commands ;;
    argument)
      case $words[1] in
        bake)
          _arguments \
            '--time[How long]:S: ' \
            '--loaves[How many]:N: ' \
            '--tin[Size of the tin]:WxH: ' \
            '--steam[Don'\''t dry]' \
            '--socket[Where the oven listens]:PATH:_files' \
            '--json[Print JSON]' \
            '--help[Show this help and leave]' \
            ':FLOUR:(rye wheat)' ;;
        place)
          _arguments \
            '--socket[Where the oven listens]:PATH:_files' \
            '--json[Print JSON]' \
            '--help[Show this help and leave]' \
            ':X: ' \
            '*:LOAF: ' ;;
        help) _arguments '1:command:(bake place)' ;;
      esac ;;
  esac
}
if [ "$funcstack[1]" = _oven ]; then _oven "$@"; else compdef _oven oven; fi
