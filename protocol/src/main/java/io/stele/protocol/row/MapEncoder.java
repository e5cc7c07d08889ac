package io.stele.protocol.row;

/**
 * An encoder of a map in a binary row, which {@link ValueEncoder#beginMap} creates and reuses for
 * every map at that place. The order of calls is: {@code beginKeys()}, set all keys, end them,
 * {@code beginValues()}, set values, end them, {@code end()}.
 */
public final class MapEncoder {
    private static final int LENGTH_BYTES = 4;

    private final GrowingBytes out;
    private final ValueEncoder parent;
    private final ArrayEncoder keys;
    private final ArrayEncoder values;
    private int base;
    private int count;
    private int endedArrays;
    private boolean arrayOpen;

    MapEncoder(ValueLayout map, GrowingBytes out, ValueEncoder parent) {
        this.out = out;
        this.parent = parent;
        this.keys = new ArrayEncoder(map.key(), out, null, this);
        this.values = new ArrayEncoder(map.value(), out, null, this);
    }

    void begin(int pairCount) {
        count = pairCount;
        endedArrays = 0;
        arrayOpen = false;
        base = out.reserve(LENGTH_BYTES);
    }

    /** Starts the keys, all of which must be set. */
    public ArrayEncoder beginKeys() {
        return beginArray(keys, 0);
    }

    /** Starts the values; values that are not set are null. */
    public ArrayEncoder beginValues() {
        return beginArray(values, 1);
    }

    /** Completes the map. */
    public void end() {
        if (endedArrays != 2 || arrayOpen) {
            throw new IllegalStateException(
                    "Expected the keys and the values of the map to be ended first");
        }
        parent.childEnded();
    }

    void arrayEnded() {
        if (!arrayOpen) {
            throw new IllegalStateException("Expected keys or values begun before they end");
        }
        arrayOpen = false;
        if (endedArrays++ == 0) {
            GrowingBytes.INTS.set(out.array, base, out.length - base - LENGTH_BYTES);
        }
    }

    private ArrayEncoder beginArray(ArrayEncoder array, int expectedEnded) {
        if (endedArrays != expectedEnded || arrayOpen) {
            throw new IllegalStateException(
                    "Expected the keys of a map first, then its values, each once");
        }
        arrayOpen = true;
        array.begin(count);
        return array;
    }
}
