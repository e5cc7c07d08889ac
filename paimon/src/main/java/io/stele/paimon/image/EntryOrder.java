package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import java.util.Comparator;
import org.apache.paimon.manifest.ManifestEntry;

/**
 * The order of entries in an image: by partition, bucket, total buckets, level, smallest key, first
 * sequence number and name. It depends on nothing but the entries, so that an image advanced by
 * deltas has the order of an image built from nothing.
 *
 * <p>Immutable.
 */
final class EntryOrder implements Comparator<ManifestEntry> {
    private final KeyColumns keys;

    EntryOrder(KeyColumns keys) {
        this.keys = requireNonNull(keys, "keys is null");
    }

    KeyColumns keys() {
        return keys;
    }

    @Override
    public int compare(ManifestEntry left, ManifestEntry right) {
        int result = SliceKey.of(left).compareTo(SliceKey.of(right));
        return result == 0
                ? compare(EntryPosition.of(left.file()), EntryPosition.of(right.file()))
                : result;
    }

    /** The order within a slice. */
    int compare(EntryPosition left, EntryPosition right) {
        int result = Integer.compare(left.level(), right.level());
        if (result == 0) {
            result = keys.compare(left.minKey(), right.minKey());
        }
        if (result == 0) {
            result = Long.compare(left.minSequenceNumber(), right.minSequenceNumber());
        }
        return result == 0 ? left.fileName().compareTo(right.fileName()) : result;
    }
}
