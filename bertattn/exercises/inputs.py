"""Random arguments for exercises: half of them in numbers that are easily read."""

import numpy as np

PLAIN_ROWS = ((1.0,), (0.75, 0.25), (0.6, 0.3, 0.1))  # one weight is the largest


def attention(rng: np.random.Generator, n: int | None = None) -> np.ndarray:
    """A map of ``n`` tokens, or of three to eight."""
    n = n or int(rng.integers(3, 9))
    if plain(rng):
        return np.array([plain_row(rng, n) for _ in range(n)])
    return rng.dirichlet(np.full(n, 0.5), size=n)


def plain(rng: np.random.Generator) -> bool:
    """Whether this input is to be easily read."""
    return bool(rng.random() < 0.5)


def plain_row(rng: np.random.Generator, n: int) -> np.ndarray:
    """A row of ``n`` weights, three or more, of which few are not 0."""
    row = np.zeros(n)
    weights = PLAIN_ROWS[rng.integers(len(PLAIN_ROWS))]
    row[: len(weights)] = weights
    return rng.permutation(row)


def numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers of both signs, small and whole or with many digits."""
    if plain(rng):
        return rng.integers(-2, 4, shape).astype(float)
    return rng.standard_normal(shape)


def shares(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Different numbers from 0 to 1, tenths and their like where they are plain."""
    size = int(np.prod(shape))
    if plain(rng):
        return (rng.permutation(size) / max(size, 10)).reshape(shape)
    return rng.random(shape)


def one_map(rng: np.random.Generator) -> tuple:
    """A map, of three tokens now and then."""
    return (attention(rng, 3 if rng.random() < 0.1 else None),)


def map_and_columns(rng: np.random.Generator) -> tuple:
    """A map and a choice of its columns, of all of them now and then."""
    weights = attention(rng)
    return weights, rng.random(len(weights)) < (1.0 if rng.random() < 0.2 else 0.4)


def with_zeros(rng: np.random.Generator) -> tuple:
    """A map with a row that looks at one token only."""
    weights = attention(rng)
    weights[rng.integers(len(weights))] = np.eye(len(weights))[0]
    return (weights,)


def map_and_units(rng: np.random.Generator) -> tuple:
    """A map and the unit of each token."""
    weights = attention(rng)
    steps = rng.random(len(weights)) < 0.6
    steps[0] = False
    return weights, np.cumsum(steps)


def tree(rng: np.random.Generator) -> tuple:
    """Governors by number, -1 for a root, and an offset."""
    n_words = int(rng.integers(3, 9))
    governors = rng.integers(-1, n_words, n_words)
    return governors, int(rng.integers(-2, 3)) or 1


def accuracies(rng: np.random.Generator) -> tuple:
    """A table of accuracies."""
    return (shares(rng, int(rng.integers(2, 5)), int(rng.integers(2, 5))),)


def guesses(rng: np.random.Generator) -> tuple:
    """Guesses and governors, a row a sentence, and an order of sentences."""
    n_sentences, n_words = int(rng.integers(3, 7)), int(rng.integers(2, 5))
    governors = rng.integers(0, n_words, (n_sentences, n_words))
    guesses = np.where(rng.random(governors.shape) < 0.7, governors, 0)
    return guesses, governors, rng.permutation(n_sentences)


def entities(rng: np.random.Generator) -> tuple:
    """The entity of each mention of a text."""
    entities = rng.integers(0, 3, int(rng.integers(3, 9)))
    entities[-1] = entities[0]  # so that one mention at least has an antecedent
    return (entities,)


def two_tables(rng: np.random.Generator) -> tuple:
    """Two tables of one shape."""
    shape = (int(rng.integers(2, 5)), int(rng.integers(2, 5)))
    return rng.random(shape), rng.random(shape)


def heads_and_weights(rng: np.random.Generator) -> tuple:
    """Maps of some heads, and two numbers for each head."""
    n_heads, n_words = int(rng.integers(2, 5)), int(rng.integers(3, 7))
    maps = np.array([attention(rng, n_words) for _ in range(n_heads)])
    return maps, numbers(rng, n_heads), numbers(rng, n_heads)


def two_trees(rng: np.random.Generator) -> tuple:
    """The governors of a chain of words, -1 for its root, and guesses, some of them turned."""
    n_words = int(rng.integers(3, 9))
    governors = np.append(np.arange(1, n_words), -1)
    guesses = np.where(rng.random(n_words) < 0.4, governors, np.arange(n_words) - 1)
    return governors, guesses


def two_trees_and_marks(rng: np.random.Generator) -> tuple:
    """Governors, guesses, and which words are punctuation: all of them now and then."""
    governors, guesses = two_trees(rng)
    return governors, guesses, rng.random(len(governors)) < (1.0 if rng.random() < 0.2 else 0.3)


def two_rows(rng: np.random.Generator) -> tuple:
    """Two rows of attention, with tokens that get nothing."""
    n = int(rng.integers(3, 7))
    if plain(rng):
        return plain_row(rng, n), plain_row(rng, n)
    first, second = rng.dirichlet(np.full(n, 0.7), size=2)
    first[0] = 0.0
    return first / first.sum(), second


def distances(rng: np.random.Generator, n: int) -> np.ndarray:
    """Distances between ``n`` heads."""
    matrix = np.triu(shares(rng, n, n) + 0.1, 1)
    return matrix + matrix.T


def distances_and_layers(rng: np.random.Generator) -> tuple:
    """Distances between heads, and the layer of each."""
    n_layers, n_heads = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    return distances(rng, n_layers * n_heads), np.repeat(np.arange(n_layers), n_heads)


def distances_and_place(rng: np.random.Generator) -> tuple:
    """Distances between heads, and the place of one of them."""
    n = int(rng.integers(3, 8))
    return distances(rng, n), int(rng.integers(n))


def map_and_gradients(rng: np.random.Generator) -> tuple:
    """A map and a loss's gradients by its weights."""
    weights = attention(rng)
    return weights, numbers(rng, *weights.shape)


def map_and_column(rng: np.random.Generator) -> tuple:
    """A map and one of its columns, of which a row looks at nothing else now and then."""
    weights = attention(rng)
    column = int(rng.integers(len(weights)))
    if rng.random() < 0.3:
        weights[rng.integers(len(weights))] = np.eye(len(weights))[column]
    return weights, column


def map_and_values(rng: np.random.Generator) -> tuple:
    """A map and the value vector of each token."""
    weights = attention(rng)
    return weights, numbers(rng, len(weights), 2)


def stream(rng: np.random.Generator) -> tuple:
    """Values, and how many of them to keep: more than there are now and then."""
    values = rng.random(int(rng.integers(2, 9))).round(1)
    return values, int(rng.integers(1, 11))


def two_sets_of_vectors(rng: np.random.Generator) -> tuple:
    """The vectors of some tokens before and after."""
    n = int(rng.integers(2, 6))
    if plain(rng):
        return rng.integers(1, 4, (n, 2)).astype(float), rng.integers(1, 4, (n, 2)).astype(float)
    before = rng.standard_normal((n, 4))
    return before, before * 2 + rng.standard_normal(before.shape)


def two_shares_and_length(rng: np.random.Generator) -> tuple:
    """The parts of an input's attention, one of them empty, the usual ones, and its length."""
    here, usual = rng.dirichlet(np.ones(int(rng.integers(3, 7))), size=2)
    here[0] = 0.0
    return here / here.sum(), usual, int(rng.integers(3, 30))


def map_values_and_output(rng: np.random.Generator) -> tuple:
    """A head's map, its value vectors, and its slice of the output matrix."""
    weights = attention(rng)
    n_in, n_out = int(rng.integers(2, 4)), int(rng.integers(4, 7))
    return weights, rng.normal(size=(len(weights), n_in)), rng.normal(size=(n_in, n_out))


def maps_of_layers(rng: np.random.Generator) -> tuple:
    """A map for each of a few layers, heads averaged."""
    n = int(rng.integers(3, 6))
    return (np.stack([attention(rng, n) for _ in range(int(rng.integers(1, 4)))]),)


def layers_of_a_model(rng: np.random.Generator) -> tuple:
    """Some layers by number, from 1, and how many the model has."""
    n_layers = int(rng.integers(2, 25))
    return rng.integers(1, n_layers + 1, int(rng.integers(2, 6))), n_layers


def units_and_n_words(rng: np.random.Generator) -> tuple:
    """The unit of each piece of an input with special tokens around it, and how many words it has.

    Now and then a word has no piece.
    """
    n_words = int(rng.integers(2, 7))
    pieces = np.repeat(np.arange(n_words), rng.integers(1, 4, n_words))
    if rng.random() < 0.3:
        pieces = pieces[pieces != 1]
    return np.concatenate([[n_words], pieces, [n_words + 1]]), n_words


def layer_means(rng: np.random.Generator) -> tuple:
    """A number for each layer of one model, and how many layers another has."""
    return rng.random(int(rng.integers(2, 13))), int(rng.integers(2, 13))
