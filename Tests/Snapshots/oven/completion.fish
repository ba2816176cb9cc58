# fish completion for oven
complete -c oven -f
complete -c oven -s h -l help -d 'Show this help and leave'
complete -c oven -l socket -r -F -d 'Where the oven listens'
complete -c oven -l json -d 'Print JSON'
complete -c oven -n '__fish_use_subcommand' -l version -d 'Show the version and leave'
complete -c oven -n '__fish_use_subcommand' -a bake -d 'Bake what you name'
complete -c oven -n '__fish_use_subcommand' -a place -d 'Put loaves on a shelf'
complete -c oven -n '__fish_use_subcommand' -a help -d 'Tell more of a command'
complete -c oven -n '__fish_seen_subcommand_from bake' -s t -l time -x -d 'How long'
complete -c oven -n '__fish_seen_subcommand_from bake' -l loaves -x -d 'How many'
complete -c oven -n '__fish_seen_subcommand_from bake' -l tin -x -d 'Size of the tin'
complete -c oven -n '__fish_seen_subcommand_from bake' -s s -l steam -d 'Don'\''t dry'
complete -c oven -n '__fish_seen_subcommand_from bake' -a rye
complete -c oven -n '__fish_seen_subcommand_from bake' -a wheat
complete -c oven -n '__fish_seen_subcommand_from help' -a bake -d 'Bake what you name'
complete -c oven -n '__fish_seen_subcommand_from help' -a place -d 'Put loaves on a shelf'
