#compdef kiln
_kiln() {
  _arguments \
    '--level[How hot]:LEVEL:(low high)' \
    '--help[Show this help and leave]' \
    '--version[Show the version and leave]' \
    ':POT: '
}
if [ "$funcstack[1]" = _kiln ]; then _kiln "$@"; else compdef _kiln kiln; fi
