package io.stele.columnfile.index;

import io.stele.columnfile.index.SortedFileReader.Located;
import java.io.IOException;

/**
 * A lookup of many keys in the key index of a column file. It remembers the part of the index and
 * the block of the last lookup. So keys in ascending order access the block cache once for each
 * part and block that they touch. Any order is correct. Confined to one thread.
 */
public final class KeyIndexProbe {
    private final SortedFileReader reader;
    private final SortedFileProbe file;
    private final boolean explicit;

    KeyIndexProbe(SortedFileReader file, boolean explicit, boolean filters) {
        this.reader = file;
        this.file = new SortedFileProbe(file, true, filters);
        this.explicit = explicit;
    }

    /** The number of the part of the index that may contain a key; numbers ascend with the keys. */
    public int part(byte[] key) {
        return reader.findPartition(key);
    }

    /**
     * Finds a row, as {@link KeyIndexReader#find(byte[], long)} does.
     *
     * @param hash {@link io.stele.protocol.schema.XxHash64} of the key
     */
    public int find(byte[] key, long hash) throws IOException {
        Located found = file.find(key, hash);
        return found == null
                ? KeyIndexReader.ABSENT
                : KeyIndexReader.ordinal(explicit, found.ordinal(), found.entry().value());
    }
}
