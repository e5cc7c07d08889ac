package io.stele.engine.node;

/**
 * The capacities of the caches of a node, in bytes. Row and column data have separate caches, so
 * that lookups in one do not evict the other.
 *
 * @param rowBlockBytes decoded blocks and index blocks of SST files
 * @param keyIndexBytes decoded blocks and index blocks of the key indexes of column files
 * @param footerBytes decoded footers and checksums of column files
 * @param rowGroupBytes row groups of column files, for lookups by key
 * @param decodedColumnBytes decoded columns of column files, for aggregations; 0: no cache
 * @param rowBytes newest rows of keys that were looked up; 0: no cache
 */
public record CacheOptions(
        long rowBlockBytes,
        long keyIndexBytes,
        long footerBytes,
        long rowGroupBytes,
        long decodedColumnBytes,
        long rowBytes) {
    /** 704 MiB in all, for which small heaps still have room; most of it is for lookups. */
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
