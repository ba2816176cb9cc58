#compdef portctl
_portctl() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \
    '--socket[Talk to the broker at this socket]:PATH:_files' \
    '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
    '--json[Print one line of JSON instead of text for people]' \
    '--quiet[Print nothing when all went well]' \
    '--help[Show this help and leave]' \
    '--version[Show the version and leave]' \
    '1: :->command' \
    '*:: :->argument'
  case $state in
    command)
      local -a commands=(
        'tap:Touch a point and let go'
        'swipe:Draw one finger from one point to another'
        'pinch:Move two fingers apart or together around a point'
        'key:Press keys one after another'
        'services:List the names that services have checked in'
        'windows:List the windows from front to back'
        'completion:Print the completion script of a shell'
        'man:Print the manual page in mdoc, for man -l -'
        'help:Tell more of a command'
      )
      _describe command commands ;;
    argument)
      case $words[1] in
        tap)
          _arguments \
            '--hold[How long the finger stays down]:S: ' \
            '--count[How many taps]:N: ' \
            '--interval[From one tap'\''s end to the next one'\''s begin]:S: ' \
            '--socket[Talk to the broker at this socket]:PATH:_files' \
            '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
            '--json[Print one line of JSON instead of text for people]' \
            '--quiet[Print nothing when all went well]' \
            '--help[Show this help and leave]' \
            ':X: ' \
            ':Y: ' ;;
        swipe)
          _arguments \
            '--duration[From touch to lift]:S: ' \
            '--steps[How many moves on the way]:N: ' \
            '--socket[Talk to the broker at this socket]:PATH:_files' \
            '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
            '--json[Print one line of JSON instead of text for people]' \
            '--quiet[Print nothing when all went well]' \
            '--help[Show this help and leave]' \
            ':X1: ' \
            ':Y1: ' \
            ':X2: ' \
            ':Y2: ' ;;
        pinch)
          _arguments \
            '--radius[Half the wider distance between the fingers]:PT: ' \
            '--duration[From touch to lift]:S: ' \
            '--socket[Talk to the broker at this socket]:PATH:_files' \
            '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
            '--json[Print one line of JSON instead of text for people]' \
            '--quiet[Print nothing when all went well]' \
            '--help[Show this help and leave]' \
            ':X: ' \
            ':Y: ' \
            ':SCALE: ' ;;
        key)
          _arguments \
            '--hold[How long each key stays down]:S: ' \
            '--socket[Talk to the broker at this socket]:PATH:_files' \
            '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
            '--json[Print one line of JSON instead of text for people]' \
            '--quiet[Print nothing when all went well]' \
            '--help[Show this help and leave]' \
            '*:KEY: ' ;;
        services)
          _arguments \
            '--socket[Talk to the broker at this socket]:PATH:_files' \
            '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
            '--json[Print one line of JSON instead of text for people]' \
            '--quiet[Print nothing when all went well]' \
            '--help[Show this help and leave]' ;;
        windows)
          _arguments \
            '--socket[Talk to the broker at this socket]:PATH:_files' \
            '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
            '--json[Print one line of JSON instead of text for people]' \
            '--quiet[Print nothing when all went well]' \
            '--help[Show this help and leave]' ;;
        completion)
          _arguments \
            '--socket[Talk to the broker at this socket]:PATH:_files' \
            '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
            '--json[Print one line of JSON instead of text for people]' \
            '--quiet[Print nothing when all went well]' \
            '--help[Show this help and leave]' \
            ':SHELL:(bash zsh fish)' ;;
        man)
          _arguments \
            '--socket[Talk to the broker at this socket]:PATH:_files' \
            '--timeout[Wait so long for the broker and the clients, each event]:S: ' \
            '--json[Print one line of JSON instead of text for people]' \
            '--quiet[Print nothing when all went well]' \
            '--help[Show this help and leave]' ;;
        help) _arguments '1:command:(tap swipe pinch key services windows completion man)' ;;
      esac ;;
  esac
}
if [ "$funcstack[1]" = _portctl ]; then _portctl "$@"; else compdef _portctl portctl; fi
