package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.stele.protocol.predicate.ColumnSketch;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A holder of the column sketches of one file, in memory or in a manifest base, which entries of
 * the file share. The sketches are in memory until a base has them. Then only sketches merged with
 * those of similar files are in memory, from which statistics are computed.
 *
 * <p>Invariant: the values of the sketches never change. Safe for use by many threads.
 */
public final class FileSketches {
    /** The holder for a file without sketches. */
    public static final FileSketches NONE = new FileSketches(Map.of());

    private volatile State state;

    private FileSketches(State state) {
        this.state = state;
    }

    private FileSketches(Map<Integer, ColumnSketch> sketches) {
        this(new State(Collections.unmodifiableMap(new TreeMap<>(sketches)), null));
    }

    /** A holder of sketches that are in a base and not in memory. */
    public static FileSketches at(Place place) {
        return new FileSketches(new State(Map.of(), place));
    }

    /**
     * A holder of sketches in memory.
     *
     * @param sketches by column id
     */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static FileSketches of(Map<Integer, ColumnSketch> sketches) {
        return sketches.isEmpty() ? NONE : new FileSketches(sketches);
    }

    /** Whether the file has no sketches. */
    public boolean isEmpty() {
        return this == NONE;
    }

    /** The sketches by column id; empty if they are not in memory. */
    @JsonValue
    public Map<Integer, ColumnSketch> inMemory() {
        return state.inMemory;
    }

    /** The place of the sketches if they are not in memory. */
    public Optional<Place> place() {
        return Optional.ofNullable(state.place);
    }

    /**
     * The sketches for statistics, in memory: the file's own, or the merged sketches of its group.
     *
     * @param rowCount of the file
     */
    public Group group(long rowCount) {
        State now = state;
        return now.place == null ? new Group(now.inMemory, rowCount) : now.place.group();
    }

    /** Removes the sketches from memory, since they are in a base. */
    public void moveTo(Place place) {
        requireNonNull(place, "place is null");
        if (isEmpty()) {
            throw new IllegalStateException("Expected sketches to move, found none");
        }
        state = new State(Map.of(), place);
    }

    /**
     * The place of a file's sketches in a base.
     *
     * @param base that has them
     * @param row of the file in the base
     * @param group the merged sketches of this and other files of the base
     */
    public record Place(ManifestBase base, long row, Group group) {
        public Place {
            requireNonNull(base, "base is null");
            requireNonNull(group, "group is null");
        }
    }

    /**
     * The merged sketches of some files of one partition with the same columns. Immutable; compared
     * by identity.
     */
    public static final class Group {
        private final Map<Integer, ColumnSketch> sketches;
        private final long rowCount;

        /**
         * @param sketches by column id
         * @param rowCount the number of rows of all files, at least 1
         */
        public Group(Map<Integer, ColumnSketch> sketches, long rowCount) {
            this.sketches = Collections.unmodifiableMap(sketches);
            this.rowCount = rowCount;
        }

        /** By column id. */
        public Map<Integer, ColumnSketch> sketches() {
            return sketches;
        }

        /** The number of rows of all files. */
        public long rowCount() {
            return rowCount;
        }
    }

    /** The sketches or their place, replaced together, so that each reader sees one of them. */
    private record State(Map<Integer, ColumnSketch> inMemory, @Nullable Place place) {}
}
