# fish completion for kiln
complete -c kiln -f
complete -c kiln -l level -x -a 'low high' -d 'How hot'
complete -c kiln -s h -l help -d 'Show this help and leave'
complete -c kiln -l version -d 'Show the version and leave'
