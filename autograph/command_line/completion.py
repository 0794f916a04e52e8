"""Completion in shells: what `autograph --completion SHELL` prints."""

from __future__ import annotations

from collections.abc import Sequence

SHELLS = ("bash", "zsh", "fish")

_BASH = """\
# In ~/.bashrc: eval "$(autograph --completion bash)"
_autograph() {{
    local word=${{COMP_WORDS[COMP_CWORD]}}
    case ${{COMP_WORDS[COMP_CWORD-1]}} in
        --stage) COMPREPLY=($(compgen -W "{stages}" -- "$word")); return ;;
        --completion) COMPREPLY=($(compgen -W "{shells}" -- "$word")); return ;;
    esac
    case $word in
        -*) COMPREPLY=($(compgen -W "{options}" -- "$word")) ;;
        *) COMPREPLY=($(compgen -f -X '!*.py' -- "$word") $(compgen -d -- "$word")) ;;
    esac
}}
complete -o filenames -F _autograph autograph
"""
_ZSH = """\
# In ~/.zshrc, behind compinit: eval "$(autograph --completion zsh)"
autoload -U +X bashcompinit && bashcompinit
"""
_FISH = """\
# In ~/.config/fish/config.fish: autograph --completion fish | source
complete -c autograph -k -x -a '(__fish_complete_suffix .py)'
complete -c autograph -l stage -x -a '{stages}'
complete -c autograph -l completion -x -a '{shells}'
"""


def script(shell: str, options: Sequence[str], stages: Sequence[str]) -> str:
    """Returns the script that completes options, names of stages and Python files in a shell."""
    words = {"options": " ".join(options), "stages": " ".join(stages), "shells": " ".join(SHELLS)}
    if shell == "fish":
        plain = [o.lstrip("-") for o in options if o not in ("--stage", "--completion")]
        flags = ["-l " + name if len(name) > 1 else "-s " + name for name in plain]
        lines = [f"complete -c autograph {flag}\n" for flag in flags]
        return _FISH.format(**words) + "".join(lines)
    return (_ZSH if shell == "zsh" else "") + _BASH.format(**words)
