#!/usr/bin/env bash
# Drives public MCP servers and writes reports/field.md.
#
#   tests/field/run.sh FOLDER [NAME...]
#
# Installs the servers of tests/field/servers.tsv below FOLDER (npm, python3, jq and the two package
# registries are needed), checks each over stdio and, where it offers that, over HTTP, and holds every
# run to what hallmark promises: it ends, it ends with a verdict, its scorecard is whole, the capture
# gives the same scorecard again, and nothing that could change something was called. With names, only
# those servers are driven; the table shows the last run of every server. HALLMARK names the binary
# (target/release/hallmark), SELFTEST=no leaves the mutants out.
set -euo pipefail

list="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$list/../.." && pwd)"
hallmark="${HALLMARK:-$root/target/release/hallmark}"
[ $# -ge 1 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
[ -x "$hallmark" ] || { echo "no binary at $hallmark: cargo build --release, or set HALLMARK" >&2; exit 2; }
mkdir -p "$1"
folder="$(cd "$1" && pwd)"
shift
wall=600            # seconds that a run may take
port=18700          # the next port for an HTTP server
faults=0

fault() { faults=$((faults + 1)); echo "FAULT $1: $2" >&2; echo "$2" >> "$folder/$1/results/faults"; }

install() {         # name source package
  local home="$folder/$1"
  [ "$(cat "$home/installed" 2> /dev/null)" = "$3" ] && return
  rm -rf "$home"; mkdir -p "$home"
  echo "install $3" >&2
  case $2 in
    npm) PUPPETEER_SKIP_DOWNLOAD=1 npm install --prefix "$home" --no-audit --no-fund --silent "$3" ;;
    pypi) python3 -m venv "$home" && IFS=' ' read -ra packages <<< "$3" &&
      "$home/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" ;;
  esac > "$home/install.log" 2>&1 || { echo "not installed: see $home/install.log" >&2; return 1; }
  echo "$3" > "$home/installed"
}

# A working directory that is a small repository with a note, so that readers find something.
scratch() {         # name
  rm -rf "$folder/$1/scratch"; mkdir -p "$folder/$1/scratch"
  cd "$folder/$1/scratch"
  printf '# Plan\n\nBuy milk.\n' > plan.md
  git init --quiet . && git add plan.md
  git -c user.name=nobody -c user.email=nobody@example.org commit --quiet -m 'Add a plan'
}

fill() {            # template name: the template with its places filled in
  local text="$1"
  text="${text//\{scratch\}/$folder/$2/scratch}"
  text="${text//\{list\}/$list}"
  text="${text//\{port\}/$port}"
  text="${text/#node_modules\//$folder/$2/node_modules/}"
  text="${text/#bin\//$folder/$2/bin/}"
  text="${text// node_modules\// $folder/$2/node_modules/}"
  echo "${text// bin\// $folder/$2/bin/}"
}

# Calls that could have changed something: of a tool that is not annotated read-only, with every
# required argument that has no default. Anything short of that lacks what the schema demands.
changing_calls() {  # capture
  jq -sr '
    [.[] | select(.payload | type == "object")] as $frames
    | ($frames | map(select(.direction == "client-to-server" and .payload.method == "tools/list")
        | {key: "\(.session) \(.payload.id)", value: true}) | from_entries) as $asked
    | ($frames | map(select(.direction == "server-to-client" and $asked["\(.session) \(.payload.id)"]))
        | map(.payload.result.tools? // [] | .[]?) | INDEX(.name)) as $tools
    | $frames[] | select(.direction == "client-to-server" and .payload.method == "tools/call")
    | .seq as $seq | .payload.params as $call | $tools[$call.name // "" | tostring]
    | select(. != null and .annotations.readOnlyHint != true)
    | .inputSchema as $schema
    | ($call.arguments // {}) as $arguments
    | select(($arguments | type) == "object")
    | [$schema.required[]? | select(. as $name | $schema.properties[$name].default == null)] as $needed
    | select(all($needed[]; . as $name | $arguments | has($name)))
    | "\($seq) \($call.name)"' "$1"
}

whole() {           # scorecard: nothing of it is missing, and its tallies add up
  jq -e '
    def adds_up: .score as $score
      | ([$score | .passed, .failed, .not_observed, .not_run, .needs_judge, .undecided] | add)
          == $score.scored
        and $score.scored + $score.not_applicable == (.assertions | length)
        and (.assertions | length) > 0;
    ([.hallmark, .target, .set, .coverage, .cost] | all(. != null))
    and has("revision") and has("withheld") and adds_up and (.wire | adds_up) and (.sets | all(adds_up))
  ' "$1" > /dev/null
}

judge_run() {       # name transport command words... : one check, and what it must keep
  local name="$1" transport="$2"; shift 2
  local results="$folder/$name/results"
  local card="$results/$transport.json" again="$results/$transport.again.json"
  local captures="$results/$transport" code=0 start=$SECONDS
  rm -rf "$captures" "$card" "$again"
  echo "check $name over $transport" >&2
  timeout --kill-after=10 "$wall" "$hallmark" check --quiet --set all --report "json=$card" \
    --capture-dir "$captures" "$@" > "$results/$transport.out" 2> "$results/$transport.err" || code=$?
  case $code in
    0 | 1 | 3 | 4) ;;
    124 | 137) fault "$name" "$transport: no end within $wall seconds" ;;
    *) fault "$name" "$transport: exit code $code" ;;
  esac
  local capture; capture="$(echo "$captures"/*.jsonl)"
  local changed=''
  if [ -f "$capture" ]; then
    changed="$(changing_calls "$capture")" || fault "$name" "$transport: the capture cannot be read"
    [ -z "$changed" ] || fault "$name" "$transport: calls that could change something: $changed"
  fi
  if [ -f "$card" ]; then
    whole "$card" || fault "$name" "$transport: the scorecard is not whole"
    "$hallmark" score --quiet --set all --report "json=$again" "$capture" > /dev/null 2>&1 || true
    cmp --silent "$card" "$again" || fault "$name" "$transport: score says something else than check"
  elif [ $code != 3 ]; then
    fault "$name" "$transport: exit code $code without a scorecard"
  fi
  jq -n --arg code "$code" --arg seconds $((SECONDS - start)) \
    '{code: ($code | tonumber), seconds: ($seconds | tonumber)}' > "$results/$transport.run.json"
}

over_http() {       # name environment command path
  local name="$1" log="$folder/$1/results/http.server"
  port=$((port + 1))
  local words; read -ra words <<< "$(fill "$2 $3" "$name")"
  setsid env "${words[@]}" > "$log" 2>&1 < /dev/null &
  local server=$! tries=0
  until (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 120 ] && kill -0 $server 2> /dev/null || { fault "$name" "http: the server did not listen"; break; }
    sleep 0.5
  done
  judge_run "$name" http --url "http://127.0.0.1:$port$4"
  kill -- -$server 2> /dev/null || true
  sleep 0.5
  kill -KILL -- -$server 2> /dev/null || true
  wait $server 2> /dev/null || true
}

drive() {           # the cells of a row
  local name="$1" source="$2" package="$3" command="$4" environment="$5" http="$6" path="$7" mutants="$8"
  install "$name" "$source" "$package" || { faults=$((faults + 1)); return; }
  mkdir -p "$folder/$name/results"; rm -f "$folder/$name/results/faults"
  [ "$environment" != - ] || environment=''
  scratch "$name"
  local settings=() setting words
  for setting in $environment; do settings+=(--env "$(fill "$setting" "$name")"); done
  read -ra words <<< "$(fill "$command" "$name")"
  judge_run "$name" stdio --cwd "$PWD" "${settings[@]}" -- "${words[@]}"
  if [ "$http" != - ]; then
    scratch "$name"
    over_http "$name" "$environment" "$http" "$path"
  fi
  if [ "$mutants" = yes ] && [ "${SELFTEST:-yes}" = yes ]; then
    scratch "$name"
    echo "selftest $name" >&2
    "$hallmark" selftest --quiet --cwd "$PWD" "${settings[@]}" -- "${words[@]}" \
      > "$folder/$name/results/selftest.out" 2> "$folder/$name/results/selftest.err" || true
    grep -q ' 0 survive' "$folder/$name/results/selftest.out" || fault "$name" "selftest: a mutant survives"
  fi
}

row() {             # name package transport: a line of the table
  local results="$folder/$1/results"
  local run="$results/$3.run.json" card="$results/$3.json"
  [ -f "$run" ] || return 0
  if [ ! -f "$card" ]; then
    jq -r --arg package "$2" --arg transport "$3" \
      '"| \($package) | \($transport) | | | | | | not driven (exit \(.code)) | | \(.seconds) |"' "$run"
    return
  fi
  jq -r --arg package "$2" --arg transport "$3" --slurpfile run "$run" '
    ([.assertions, .wire.assertions, (.sets[].assertions)] | add) as $assertions
    | [$assertions[].checks[] | .severity as $usual | (.findings[] | (.severity // $usual) as $severity
        | range(1 + (.again // 0)) | $severity), (range(.left_out // 0) | $usual)] as $found
    | def count($severity): [$found[] | select(. == $severity)] | length;
      def tally: "\(.passed)/\(.scored)";
      [$package, $transport, (.revision // "none"), .coverage.tools.listed, .coverage.tools.called,
       (.score | tally), (.wire.score | tally),
       "\(count("critical")) / \(count("major")) / \(count("minor")) / \(count("nit"))",
       .cost.requests, $run[0].seconds]
    | "| " + (map(tostring) | join(" | ")) + " |"' "$card"
}

report() {
  echo '# Public servers'
  echo
  echo 'What `hallmark check --set all` says of public MCP servers from npm and PyPI, each as installed, with'
  echo 'made-up settings, no network behind it and no permission to change anything. Written by'
  echo '`tests/field/run.sh`, which holds every run to five promises: it ends, with a verdict, with a whole'
  echo 'scorecard, with the same scorecard when its capture is scored again, and without a call that could'
  echo 'change something.'
  echo
  echo "Score: assertions passed of those scored, in the set $("$hallmark" list | grep -o 'agent-facing@[0-9-]*' | tail -n 1)."
  echo 'Findings: critical / major / minor / nit, required and advisory, over all sets.'
  echo
  echo '| server | transport | revision | tools | called | score | wire | findings | requests | seconds |'
  echo '|---|---|---|---|---|---|---|---|---|---|'
  each_row row_of
  echo
  echo '## Mutants on public servers'
  echo
  echo '`hallmark selftest -- COMMAND`: faults on the wire between the server and the recorder, which the checks'
  echo 'that they name must notice. A mutant that finds nothing to break on a server is not applicable.'
  echo
  echo '| server | mutants | killed | survive | not applicable |'
  echo '|---|---|---|---|---|'
  each_row selftest_of
  echo
  echo '## Promises'
  echo
  local broken; broken="$(cd "$folder" && grep -H . ./*/results/faults 2> /dev/null | sed 's|^\./\([^/]*\)/results/faults:|- \1: |' || true)"
  echo "${broken:-Every promise was kept in every run.}"
}
row_of() { row "$1" "$3" stdio; row "$1" "$3" http; }
selftest_of() {
  sed -nE 's/^([0-9]+) mutants: ([0-9]+) killed, ([0-9]+) survive, ([0-9]+) not applicable.*/| '"${3//\//\\/}"' | \1 | \2 | \3 | \4 |/p' \
    "$folder/$1/results/selftest.out" 2> /dev/null || true
}
each_row() {        # function: called with the cells of every row
  local cells
  while IFS=$'\t' read -ra cells; do "$1" "${cells[@]}"; done < <(tail -n +2 "$list/servers.tsv")
}
chosen() {
  [ ${#names[@]} = 0 ] || [[ " ${names[*]} " == *" $1 "* ]] || return 0
  drive "$@" < /dev/null
}

names=("$@")
each_row chosen
report > "$root/reports/field.md"
echo "$faults faults; reports/field.md is written" >&2
[ "$faults" = 0 ]
