// SPDX-License-Identifier: Apache-2.0
#include "cli.hpp"

namespace tenstride::cli {
namespace {

constexpr const char* bash =
    R"sh(# tenstride completion bash: source it, or put it into /etc/bash_completion.d
_tenstride() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local dtypes="bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64 complex64 complex128"
  COMPREPLY=()
  case $before in
    --dtype) COMPREPLY=($(compgen -W "$dtypes" -- "$word")); return ;;
    --order) COMPREPLY=($(compgen -W "C F" -- "$word")); return ;;
    --what) COMPREPLY=($(compgen -W "tensors atoms walk" -- "$word")); return ;;
    --color) COMPREPLY=($(compgen -W "axis position" -- "$word")); return ;;
    --format) COMPREPLY=($(compgen -W "npy png" -- "$word")); return ;;
    --port|--scale|--shift|--axis|--threads|--width|--max-mem|--max-spool|--task|--tasks) return ;;
    --disk|--folder) COMPREPLY=($(compgen -d -- "$word")); return ;;
    -o|--output|--input) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "convert explain repl show explore info bench completion --help --version" -- "$word"))
    return
  fi
  case $command in
    convert)
      case $word in
        -*) COMPREPLY=($(compgen -W "-o --output --format --upright --dtype --order --reduce --repeat --scale --shift --axis --rescale --dry-run --verify --verify-only --json --threads --force --max-mem --max-spool --resume --task --plan-only --tasks --metadata-only --quiet --help" -- "$word")) ;;
        *) COMPREPLY=($(compgen -f -- "$word")) ;;
      esac ;;
    explain) COMPREPLY=($(compgen -W "--input --plan --measure --max-mem --max-spool --picture --strict --json --help" -- "$word")) ;;
    repl) COMPREPLY=($(compgen -W "--input --plan --picture --strict --help" -- "$word")) ;;
    show)
      case $word in
        -*) COMPREPLY=($(compgen -W "-o --output --html --input --what --color --axis --width --max-spool --force --help" -- "$word")) ;;
        *) COMPREPLY=($(compgen -f -- "$word")) ;;
      esac ;;
    explore) COMPREPLY=($(compgen -W "--port --no-browser --folder --help" -- "$word")) ;;
    info)
      case $word in
        -*) COMPREPLY=($(compgen -W "--checksum --max-spool --json --help" -- "$word")) ;;
        *) COMPREPLY=($(compgen -f -- "$word")) ;;
      esac ;;
    bench) COMPREPLY=($(compgen -W "--json --threads --disk --help" -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$word")) ;;
  esac
}
complete -o filenames -F _tenstride tenstride
)sh";

constexpr const char* zsh = R"sh(#compdef tenstride
# tenstride completion zsh: put it into a folder of $fpath as _tenstride
_tenstride() {
  local -a dtypes=(bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64 complex64 complex128)
  if (( CURRENT == 2 )); then
    compadd -- convert explain repl show explore info bench completion --help --version
    return
  fi
  case $words[2] in
    convert)
      _arguments '2:input:_files' '3:spec:' '*:size:' \
        {-o,--output}'[the file to write]:output:_files' '--format[of the output]:format:(npy png)' '--upright[by the EXIF orientation]' "--dtype[element type]:dtype:($dtypes)" '--order[C or F]:order:(C F)' '--reduce[fold axes]:how:(sum mean prod min max any all)' '--repeat[along new axes]' '--scale[factor]:number:' '--shift[summand]:number:' '--axis[of numbers per channel]:axis:' '--rescale[as the input says]' '--dry-run[the bill only]' '--verify[compare every element]' '--verify-only[compare, write nothing]' '--json' '--threads[at most]:count:' '--force[replace the output]' '--max-mem[at most]:bytes:' '--max-spool[of a pipe]:bytes:' '--resume[an interrupted run]' '--task[the K-th of N]:K/N:' '--plan-only[write the tasks]:file:_files' '--tasks[how many]:count:' '--metadata-only[permute a zarr folder]' '--quiet[no progress]' ;;
    explain) _arguments '2:expression:' '--input[bind x to a file]:file:_files' '--plan[how copies are planned]' '--measure[run their ways]' '--max-mem[memory of the plan from file to file]:bytes:' '--max-spool[of a pipe]:bytes:' '--picture[draw each step]' '--strict[scrambles fail]' '--json' ;;
    repl) _arguments '--input[bind x to a file]:file:_files' '--plan[how copies are planned]' '--picture[draw what a line gives]' '--strict[scrambles fail]' ;;
    show)
      _arguments '2:expression or file:_files' {-o,--output}'[svg, png or html]:output:_files' '--html[a page to explore]' '--input[bind x to a file]:file:_files' '--what[what is drawn]:what:(tensors atoms walk)' '--color[by what]:what:(axis position)' '--axis[that gives the colour]:axis:' '--width[columns]:columns:' '--max-spool[of a pipe]:bytes:' '--force[replace the output]' ;;
    explore) _arguments '2:expression:' '--port[of the address]:port:' '--no-browser[open nothing]' '--folder[of the page]:folder:_files -/' ;;
    info) _arguments '2:file:_files' '--checksum[of all elements]' '--max-spool[of a pipe]:bytes:' '--json' ;;
    bench) _arguments '--json' '--threads[at most]:count:' '--disk[under this folder]:folder:_files -/' ;;
    completion) compadd -- bash zsh fish ;;
  esac
}
compdef _tenstride tenstride
)sh";

constexpr const char* fish =
    R"sh(# tenstride completion fish: put it into ~/.config/fish/completions/tenstride.fish
complete -c tenstride -n __fish_use_subcommand -f -a "convert explain repl show explore info bench completion"
complete -c tenstride -n __fish_use_subcommand -l version -l help
complete -c tenstride -n "__fish_seen_subcommand_from convert" -s o -l output -r -d "the file to write"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l dtype -x -a "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64 complex64 complex128"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l format -x -a "npy png"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l upright -d "by the EXIF orientation"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l order -x -a "C F"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l reduce -x -a "sum mean prod min max any all"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l repeat
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l scale -x
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l shift -x
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l axis -x
complete -c tenstride -n "__fish_seen_subcommand_from convert bench" -l threads -x
complete -c tenstride -n "__fish_seen_subcommand_from bench" -l disk -r -d "measure the disk under a folder"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l dry-run
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l verify
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l verify-only
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l force
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l max-mem -x -d "bytes, e.g. 512M"
complete -c tenstride -n "__fish_seen_subcommand_from convert explain show info" -l max-spool -x -d "bytes of a pipe"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l resume -d "an interrupted run"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l task -x -d "the K-th of N"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l plan-only -r -d "write the tasks"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l tasks -x -d "how many"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l rescale -d "as the input says"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l metadata-only -d "permute a zarr folder"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l quiet -d "no progress"
complete -c tenstride -n "__fish_seen_subcommand_from convert" -l json
complete -c tenstride -n "__fish_seen_subcommand_from explain repl" -l input -r -d "bind x to a file"
complete -c tenstride -n "__fish_seen_subcommand_from explain repl" -l plan -d "how copies are planned"
complete -c tenstride -n "__fish_seen_subcommand_from explain" -l max-mem -r -d "memory of the plan from file to file"
complete -c tenstride -n "__fish_seen_subcommand_from explain repl" -l picture -d "draw each step"
complete -c tenstride -n "__fish_seen_subcommand_from explain repl" -l strict -d "scrambles fail"
complete -c tenstride -n "__fish_seen_subcommand_from show" -s o -l output -r -d "svg, png or html"
complete -c tenstride -n "__fish_seen_subcommand_from show" -l html -d "a page to explore"
complete -c tenstride -n "__fish_seen_subcommand_from show" -l input -r -d "bind x to a file"
complete -c tenstride -n "__fish_seen_subcommand_from show" -l what -x -a "tensors atoms walk"
complete -c tenstride -n "__fish_seen_subcommand_from show" -l color -x -a "axis position"
complete -c tenstride -n "__fish_seen_subcommand_from show" -l axis -x
complete -c tenstride -n "__fish_seen_subcommand_from show" -l width -x
complete -c tenstride -n "__fish_seen_subcommand_from show" -l force
complete -c tenstride -n "__fish_seen_subcommand_from explore" -l port -x -d "of the address"
complete -c tenstride -n "__fish_seen_subcommand_from explore" -l no-browser -d "open nothing"
complete -c tenstride -n "__fish_seen_subcommand_from explore" -l folder -r -d "of the page"
complete -c tenstride -n "__fish_seen_subcommand_from explain info bench" -l json
complete -c tenstride -n "__fish_seen_subcommand_from info" -l checksum -d "of all elements"
complete -c tenstride -n "__fish_seen_subcommand_from completion" -f -a "bash zsh fish"
)sh";

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash;
  if (shell == "zsh") return zsh;
  if (shell == "fish") return fish;
  throw UsageError("completion: \"" + shell + "\" must be bash, zsh or fish");
}

}  // namespace tenstride::cli
