package io.stele.engine.tablet;

/** The kinds of knowledge about the keys of an ingested file: whether they can exist already. */
public enum IngestedKeys {
    /** Each may have rows, in other files of its transaction as well. */
    ANY,

    /**
     * None has a row, but rows that have expired; other files of its transaction have other keys.
     */
    NEW_OR_EXPIRED,

    /** None has a row, nor has another file of its transaction the key. */
    NEW
}
