"""Guesses noted before a run and compared with its result: being surprised is how one learns."""

from types import EllipsisType

import numpy as np

from bertattn.exercises.verdicts import NOT_TRIED, Verdict

Guess = bool | int | float | str
_NOTED: dict[str, Guess] = {}


def predict(question: str, guess: Guess | EllipsisType) -> Verdict:
    """Note a guess; ``reveal`` compares it with what comes out.

    Args:
        question: What is guessed, in the words that ``reveal`` is asked with.
        guess: A number or a text; ``...`` is no guess yet.

    Example:
        >>> predict("most attended", ...)
        not tried yet
        >>> predict("most attended", "[CLS]")
        noted: [CLS]
    """
    if isinstance(guess, EllipsisType):
        _NOTED.pop(question, None)
        return NOT_TRIED
    _NOTED[question] = guess
    return Verdict(None, f"noted: {guess}")


def reveal(question: str, result: Guess) -> Verdict:
    """What came out beside what was guessed; nothing is told to who has not guessed.

    Example:
        >>> reveal("share of the next token", 0.08)
        not tried yet
        >>> _ = predict("share of the next token", 0.3)
        >>> reveal("share of the next token", 0.08)
        you guessed 0.3, and it is 0.08: 0.22 too high
    """
    if question not in _NOTED:
        return NOT_TRIED
    guess = _NOTED[question]
    if not (_is_number(guess) and _is_number(result)):
        same = str(guess).strip().casefold() == str(result).strip().casefold()
        said = f"as you guessed: {result}" if same else f"you guessed {guess}, and it is {result}"
        return Verdict(same, said)
    away = float(guess) - float(result)
    if np.isclose(away, 0, atol=5e-3 * max(abs(float(result)), 1e-9)):
        return Verdict(True, f"as you guessed: {_number(result)}")
    how = "too high" if away > 0 else "too low"
    said = f"you guessed {_number(guess)}, and it is {_number(result)}"
    return Verdict(False, f"{said}: {_number(abs(away))} {how}")


def _is_number(value: Guess) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def _number(value: Guess) -> str:
    return f"{float(value):.3g}"
