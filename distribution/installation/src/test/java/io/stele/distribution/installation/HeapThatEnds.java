package io.stele.distribution.installation;

import java.util.ArrayList;
import java.util.List;

/** A program whose heap is not enough, whatever it is. */
final class HeapThatEnds {
    private HeapThatEnds() {}

    public static void main(String[] arguments) {
        List<byte[]> kept = new ArrayList<>();
        while (kept.size() < Integer.MAX_VALUE) {
            kept.add(new byte[1 << 20]);
        }
        throw new IllegalStateException("Expected a heap that ends, found " + kept.size() + " MiB");
    }
}
