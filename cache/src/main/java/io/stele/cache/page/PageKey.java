package io.stele.cache.page;

/**
 * The 128-bit key of one page of one file in the page cache: bits of the SHA-256 of the file's id,
 * mixed with the page number. The probability that two pages of one cache share a key is
 * negligible.
 */
public record PageKey(long high, long low) {
    /**
     * A permutation of all longs in which each result bit depends on all bits (Stafford's variant
     * 13).
     */
    public static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    @Override
    public int hashCode() {
        return (int) high;
    }
}
