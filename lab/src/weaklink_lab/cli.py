"""The command `weaklink-lab`: bring the service up, load it, break it, mend it, score."""

import argparse
import itertools
import sys
import time
from dataclasses import replace
from pathlib import Path

from weaklink_lab import blindfolds, breaking, chain, clips, faults, proving, scoring, status
from weaklink_lab import drill as drills
from weaklink_lab import state as states
from weaklink_lab.draw import Wants, draw, with_log_style
from weaklink_lab.kernel import cgroups
from weaklink_lab.parts_of import PARTS


def _up(asked: argparse.Namespace) -> int:
    chain.check_host()
    wants = Wants()
    if asked.fault:
        wants = breaking.wants_of(_fault(asked.fault), asked.seed)
    if asked.members:
        wants = replace(wants, members=asked.members)
    if asked.parts:
        wants = replace(wants, parts=tuple(sorted({*wants.parts, *asked.parts})))
    begin = time.monotonic()
    with states.alone():
        state = chain.up(with_log_style(draw(asked.seed, wants), asked.log_format))
    front = state.spec.one("front")
    _say(f"up in {time.monotonic() - begin:.1f} s: http://{front.address}/ in namespace of")
    _say(f"{state.spec.one('client').name}; `weaklink-lab load start` lets users come")
    return 0


def _down(asked: argparse.Namespace) -> int:
    with states.alone():
        remains = chain.down(asked.seed)
    if asked.purge:
        clips.purge()
    for what in remains:
        _say(f"could not be removed: {what}")
    return 1 if remains else 0


def _status(_asked: argparse.Namespace) -> int:
    _say(status.text(states.need()))
    return 0


def _load(asked: argparse.Namespace) -> int:
    with states.alone():
        state = states.need()
        if asked.what == "start":
            chain.load_start(state, asked.rate_factor)
        else:
            chain.load_stop(state)
    return 0


def _break(asked: argparse.Namespace) -> int:
    fault = _fault(asked.fault)
    with states.alone():
        state = states.need()
        seed = state.spec.seed if asked.seed is None else asked.seed
        if trouble := breaking.misfit(state.spec, breaking.wants_of(fault, seed)):
            _say(f"{fault.id} needs another service: {trouble}")
            _say(f"weaklink-lab down && weaklink-lab up --seed {seed} --for {fault.id}")
            return 2
        if not cgroups.pids(state.group(state.spec.one("client"))):
            _say("nobody asks the service: users come with `weaklink-lab load start`")
        breaking.enter(state, fault, seed)
    _say(f"{fault.id} is in: {fault.title}")
    return 0


def _mend(_asked: argparse.Namespace) -> int:
    with states.alone():
        mended = breaking.mend(states.need())
    _say(f"{mended} is out" if mended else "nothing was broken")
    return 0


def _drill(asked: argparse.Namespace) -> int:
    if asked.faults:
        faults.load_folder(asked.faults)
    chosen = [_fault(name) for name in asked.fault] or list(faults.known().values())
    way = drills.Way(
        asked.weaklink,
        asked.healthy,
        save_cases=asked.save_cases,
        blindfold=asked.blindfold,
        commit=drills.commit_of(asked.weaklink),
    )
    done = scoring.load(asked.out) if asked.out and asked.out.exists() else []
    rows = [row for row in done if row.commit == way.commit]
    asked_for = list(itertools.product(asked.seeds, chosen))
    number, of = asked.shard
    kept = {row.key for row in rows}
    with states.one_drill(lambda: _say("waiting for a drill of somebody else to end")):
        for seed, fault in asked_for[number - 1 :: of]:
            if (fault.id, seed, way.blindfold) in kept:
                continue
            with states.alone():
                rows.append(drills.drill(fault, seed, way, _say))
            if asked.out:
                scoring.save(asked.out, rows)
    _say("")
    _say(scoring.table(rows))
    return 0


def _prove(asked: argparse.Namespace) -> int:
    chosen = [_fault(name) for name in asked.fault] or [
        fault for fault in faults.known().values() if not fault.control
    ]
    waits = "waiting for a drill of somebody else to end"
    with states.one_drill(lambda: _say(waits)), states.alone():
        way = drills.Way(asked.weaklink, save_cases=asked.save_cases)
        ask = drills.asker(way) if asked.ask else None
        proofs = proving.prove(chosen, asked.seed, _say, ask)
    wrong = [proof.fault for proof in proofs if not (proof.hurts and proof.heals)]
    _say(f"{len(proofs)} faults, {len(proofs) - len(wrong)} hurt and heal")
    return 1 if wrong else 0


def _score(asked: argparse.Namespace) -> int:
    _say(scoring.table(scoring.load(asked.file)))
    return 0


def _parts(text: str) -> list[str]:
    parts = list(PARTS) if text == "all" else text.split(",")
    if unknown := [part for part in parts if part not in PARTS]:
        raise argparse.ArgumentTypeError(f"no such part: {unknown[0]}")
    return parts


def _shard(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    return int(number), int(of)


def _seeds(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _faults(_asked: argparse.Namespace) -> int:
    for fault in faults.known().values():
        _say(f"{fault.id:24} {fault.title}{' (control)' if fault.control else ''}")
    return 0


def _fault(name: str) -> faults.Fault:
    return faults.find(name)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="weaklink-lab", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser("up", help="start the service")
    up.add_argument("--profile", choices=("small",), default="small")
    up.add_argument("--seed", type=int, default=1)
    up.add_argument("--members", type=int, choices=(1, 2, 3), help="how many workers")
    up.add_argument("--for", dest="fault", metavar="FAULT", help="suit the service to a fault")
    up.add_argument(
        "--with",
        dest="parts",
        type=_parts,
        metavar="PART,PART",
        help=f"parts that are not always up: {', '.join(PARTS)}, or all",
    )
    up.add_argument("--log-format", choices=("json", "text", "combined"))
    up.set_defaults(run=_up)
    down = verbs.add_parser("down", help="take everything back, after a crash too")
    down.add_argument("--seed", type=int, help="only if the service of this seed is up")
    down.add_argument("--purge", action="store_true", help="the clips in the cache folder too")
    down.set_defaults(run=_down)
    verbs.add_parser("status", help="members and what users feel").set_defaults(run=_status)
    load = verbs.add_parser("load", help="let users come, or stop them")
    load.add_argument("what", choices=("start", "stop"))
    load.add_argument("--rate-factor", type=float, default=1.0)
    load.set_defaults(run=_load)
    broken = verbs.add_parser("break", help="put a fault in")
    broken.add_argument("fault")
    broken.add_argument("--seed", type=int, help="of its strength; default: the service's")
    broken.set_defaults(run=_break)
    verbs.add_parser("mend", help="take the fault out").set_defaults(run=_mend)
    drill = verbs.add_parser("drill", help="break, ask Weaklink blind, score")
    drill.add_argument("fault", nargs="*", help="default: all, controls too")
    drill.add_argument("--seeds", type=_seeds, default=[1, 2, 3], metavar="1,2,3")
    drill.add_argument(
        "--out",
        type=Path,
        help="write the rows there; those of this commit that are in it are not run again",
    )
    drill.add_argument("--save-cases", type=Path, metavar="DIR", help="keep the filed Cases")
    drill.add_argument("--healthy", type=float, default=40.0, help="seconds before the fault")
    drill.add_argument("--weaklink", type=Path, default=drills.default_weaklink())
    drill.add_argument("--shard", type=_shard, default=(1, 1), metavar="1/4", help="only a part")
    drill.add_argument("--blindfold", choices=("", *blindfolds.KINDS), default="")
    drill.add_argument("--faults", type=Path, metavar="DIR", help="faults of one's own")
    drill.set_defaults(run=_drill)
    prove = verbs.add_parser("prove", help="show that faults hurt, and stop hurting when mended")
    prove.add_argument("fault", nargs="*", help="default: all")
    prove.add_argument("--seed", type=int, default=1)
    prove.add_argument("--ask", action="store_true", help="ask Weaklink while it hurts")
    prove.add_argument("--weaklink", type=Path, default=drills.default_weaklink())
    prove.add_argument("--save-cases", type=Path, metavar="DIR")
    prove.set_defaults(run=_prove)
    score = verbs.add_parser("score", help="print the table of a drill's file")
    score.add_argument("file", type=Path)
    score.set_defaults(run=_score)
    verbs.add_parser("faults", help="list the faults").set_defaults(run=_faults)
    return parser


def main(words: list[str] | None = None) -> int:
    """Run one verb; gives the exit status."""
    asked = _parser().parse_args(words)
    try:
        done: int = asked.run(asked)
    except (LookupError, FileExistsError, FileNotFoundError, PermissionError, RuntimeError) as no:
        sys.stderr.write(f"weaklink-lab: {no}\n")
        return 2
    return done


if __name__ == "__main__":
    sys.exit(main())
