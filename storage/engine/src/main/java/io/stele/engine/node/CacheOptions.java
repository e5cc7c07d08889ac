package io.stele.engine.node;

/**
 * The capacities of the caches of a node, in bytes. Row and column data have separate caches, so
 * that lookups in one do not evict the other.
 *
 * @param rowBlockBytes decoded blocks and parts of the index of SST files
 * @param keyIndexBytes the same of the key indexes of column files
 * @param footerBytes decoded footers of column files, and their checksums
 * @param rowGroupBytes row groups of column files, for lookups by key
 * @param decodedColumnBytes columns of column files as aggregations read them; 0: none
 * @param rowBytes newest rows of keys that were looked up; 0: none
 */
public record CacheOptions(
        long rowBlockBytes,
        long keyIndexBytes,
        long footerBytes,
        long rowGroupBytes,
        long decodedColumnBytes,
        long rowBytes) {
    /** 704 MiB in all, which small heaps still have room for; most of it where lookups end. */
    public static final CacheOptions DEFAULT =
            new CacheOptions(256L << 20, 128L << 20, 64L << 20, 64L << 20, 128L << 20, 64L << 20);

    public CacheOptions {
        check("rowBlockBytes", rowBlockBytes, 1);
        check("keyIndexBytes", keyIndexBytes, 1);
        check("footerBytes", footerBytes, 0);
        check("rowGroupBytes", rowGroupBytes, 1);
        check("decodedColumnBytes", decodedColumnBytes, 0);
        check("rowBytes", rowBytes, 0);
    }

    private static void check(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    "Expected " + name + " of at least " + least + ", found " + value);
        }
    }
}
