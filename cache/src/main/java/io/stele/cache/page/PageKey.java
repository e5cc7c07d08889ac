package io.stele.cache.page;

/**
 * 128 bits that identify one page of one file: those of the file's SHA-256, mixed with the page's
 * number. The probability that two pages of one cache share a key is negligible.
 */
public record PageKey(long high, long low) {
    /** A permutation of all longs whose bits all depend on all bits (Stafford's variant 13). */
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
