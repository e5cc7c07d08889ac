package io.stele.columnfile.index;

import io.stele.columnfile.bytes.Corruption;

/**
 * The kinds of keys in the Bloom filter of an SST file: whole keys, beginnings of keys, or none.
 * The codes are on disk and never change.
 */
public enum FilteredKeys {
    /** Whole keys: a lookup of a key that is not there seldom reads a block. */
    WHOLE(0),
    /** A prefix of each key, chosen by its writer: for lookups that have only this prefix. */
    BEGINNINGS(1),
    /** No keys: lookups use prefixes that many keys share. */
    NONE(2);

    private final int code;

    FilteredKeys(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static FilteredKeys of(String path, long fileOffset, long code) {
        for (FilteredKeys keys : values()) {
            if (keys.code == code) {
                return keys;
            }
        }
        throw Corruption.mismatch(path, fileOffset, "keys of a filter", "0, 1 or 2", code);
    }
}
