"""Writes reference.json beside it: what SciPy and statsmodels say of many samples.

    pip install scipy==1.17.1 statsmodels==0.15.0 numpy==2.4.6
    python3 reference.py

Samples are drawn once from a seeded generator and stand in the table with the answers, so that
the tests need neither Python nor the generator. Versions and seed stand in the table too.
"""

import json
import pathlib

import numpy
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests

SEED = 20261121
rng = numpy.random.default_rng(SEED)
CONFIDENCES = [0.5, 0.9, 0.95, 0.99, 0.999]


def plain(x):
    return [float(v) for v in x]


def arm(n, level, spread, digits=None):
    values = level * numpy.exp(rng.normal(0, spread, n))
    return numpy.round(values, digits) if digits is not None else values


def paired():
    for n in [2, 3, 4, 5, 6, 8, 10, 20, 100]:
        for effect, spread in [(0, 0.01), (0.002, 0.01), (0.05, 0.01), (-0.3, 0.005), (2, 0.5), (1e-9, 0.2)]:
            base = arm(n, rng.choice([0.03, 12, 4800]), 0.05)
            other = base * numpy.exp(effect + rng.normal(0, spread, n))
            confidence = float(rng.choice(CONFIDENCES))
            d = numpy.log(other) - numpy.log(base)
            res = stats.ttest_1samp(d, 0)
            ci = res.confidence_interval(confidence)
            yield dict(baseline=plain(base), arm=plain(other), confidence=confidence, p=float(res.pvalue),
                       ratio=float(numpy.exp(d.mean())), sd=float(d.std(ddof=1)), df=n - 1,
                       low=float(numpy.exp(ci.low)), high=float(numpy.exp(ci.high)))


def unpaired():
    for n, m in [(2, 2), (2, 7), (3, 3), (3, 5), (4, 4), (5, 5), (5, 4), (8, 10), (10, 10), (30, 12)]:
        for effect, sa, sb in [(0, 0.01, 0.01), (0.02, 0.01, 0.03), (-0.5, 0.02, 0.001), (0.01, 0.2, 0.2)]:
            base, other = arm(n, 4800, sa), arm(m, 4800 * numpy.exp(effect), sb)
            confidence = float(rng.choice(CONFIDENCES))
            la, lb = numpy.log(base), numpy.log(other)
            res = stats.ttest_ind(lb, la, equal_var=False)
            ci = res.confidence_interval(confidence)
            yield dict(baseline=plain(base), arm=plain(other), confidence=confidence, p=float(res.pvalue),
                       ratio=float(numpy.exp(lb.mean() - la.mean())),
                       sd=float(numpy.sqrt((la.var(ddof=1) + lb.var(ddof=1)) / 2)), df=float(res.df),
                       low=float(numpy.exp(ci.low)), high=float(numpy.exp(ci.high)))


def ranks():
    def case(base, other, method, how):
        p = stats.mannwhitneyu(base, other, method=method).pvalue
        return dict(baseline=plain(base), arm=plain(other), how=how, p=float(p))

    for n, m in [(4, 4), (4, 6), (5, 5), (8, 5), (10, 10), (20, 14), (50, 50)]:
        for effect in [0, 0.02, 0.2]:
            yield case(arm(n, 100, 0.03), arm(m, 100 * (1 + effect), 0.03), "exact", "exact")
    # With ties: every permutation is counted; SciPy's own exact distribution knows no ties.
    every = stats.PermutationMethod(n_resamples=10**7)
    for n, m in [(4, 4), (4, 5), (5, 5), (6, 4), (6, 6), (7, 5), (5, 8), (4, 10)]:
        for effect in [-0.02, 0, 0.02, 0.1]:
            base, other = arm(n, 100, 0.02, 0), arm(m, 100 * (1 + effect), 0.02, 0)
            if len(set(base) | set(other)) in (1, n + m):
                continue
            yield case(base, other, every, "every permutation")
    for n, m, digits in [(60, 55, None), (30, 28, 0), (80, 4, 0)]:
        for effect in [0, 0.01]:
            yield case(arm(n, 100, 0.03, digits), arm(m, 100 * (1 + effect), 0.03, digits), "asymptotic", "asymptotic")


def means():
    for n in [2, 3, 5, 10, 40]:
        for level, spread in [(0.02, 0.1), (5000, 0.01), (1e7, 1e-6)]:
            values = arm(n, level, spread)
            confidence = float(rng.choice(CONFIDENCES))
            sd = float(values.std(ddof=1))
            low, high = stats.t.interval(confidence, n - 1, values.mean(), sd / numpy.sqrt(n))
            yield dict(values=plain(values), confidence=confidence, mean=float(values.mean()), sd=sd,
                       low=float(low), high=float(high))


def student():
    for df in [1, 1.3, 2, 3, 4.75, 9, 29, 199, 1999]:
        for t in [1e-6, 0.1, 1, 2.5, 7, 40]:
            yield dict(df=df, t=t, p=float(2 * stats.t.sf(t, df)))


def critical():
    for df in [1, 1.3, 2, 3, 4.75, 9, 29, 199, 1999]:
        for confidence in CONFIDENCES + [0.99999]:
            yield dict(df=df, confidence=confidence, t=float(stats.t.isf((1 - confidence) / 2, df)))


def power():
    for df in [1, 2, 3, 4, 8, 9, 38, 999, 1998]:
        for t in [1.9, 4.303, 12.7]:
            for shift in [0, 0.5, 2.8, 6]:
                yield dict(df=df, t=t, shift=shift, power=float(stats.nct.sf(t, df, shift) if shift else stats.t.sf(t, df)))


def holm():
    for n in [1, 2, 3, 5, 12, 40]:
        for top in [0.01, 0.1, 1]:
            p = rng.uniform(0, top, n)
            if n > 2:
                p[1] = p[2]
            yield dict(p=plain(p), adjusted=plain(multipletests(p, method="holm")[1]))


table = {
    "made_with": {"scipy": scipy.__version__, "statsmodels": statsmodels.__version__,
                  "numpy": numpy.__version__, "seed": SEED},
    **{f.__name__: list(f()) for f in (paired, unpaired, ranks, means, student, critical, power, holm)},
}
lines = ",\n".join(
    f'"{name}": ' + (json.dumps(part) if isinstance(part, dict) else "[\n" + ",\n".join(map(json.dumps, part)) + "\n]")
    for name, part in table.items())
pathlib.Path(__file__).with_name("reference.json").write_text("{\n" + lines + "\n}\n")
