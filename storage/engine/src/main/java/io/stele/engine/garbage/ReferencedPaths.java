package io.stele.engine.garbage;

import io.stele.protocol.schema.XxHash64;
import java.util.Arrays;

/**
 * The set of the paths of all data files that a start found to be in use, as hashes of 64 bits: the
 * paths of a million files would take hundreds of megabytes.
 *
 * <p>Invariant: a path that was added is found. Of other paths one in 10^13 is found too, with a
 * million files: then a file that nobody needs is not deleted. Confined to one thread.
 */
public final class ReferencedPaths {
    private long[] hashes = new long[64];
    private int size;
    private boolean sorted;

    public void add(String path) {
        if (size == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * size);
        }
        hashes[size++] = XxHash64.hash(path);
        sorted = false;
    }

    public boolean contains(String path) {
        if (!sorted) {
            Arrays.sort(hashes, 0, size);
            sorted = true;
        }
        return Arrays.binarySearch(hashes, 0, size, XxHash64.hash(path)) >= 0;
    }
}
