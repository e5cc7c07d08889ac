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
 * The sketches of a file's columns. They are in memory until a base has them and they are merged
 * with those of similar files. Then only the merged ones are in memory, from which statistics are
 * computed. Entries of one file that differ otherwise share them.
 *
 * <p>Invariant: their values never change. Safe for use by many threads.
 */
public final class FileSketches {
    /** Of a file without sketches. */
    public static final FileSketches NONE = new FileSketches(Map.of());

    private volatile State state;

    private FileSketches(Map<Integer, ColumnSketch> sketches) {
        this.state = new State(Collections.unmodifiableMap(new TreeMap<>(sketches)), null);
    }

    /**
     * In memory.
     *
     * @param sketches by column id
     */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static FileSketches of(Map<Integer, ColumnSketch> sketches) {
        return sketches.isEmpty() ? NONE : new FileSketches(sketches);
    }

    /** Whether the file has none. */
    public boolean isEmpty() {
        return this == NONE;
    }

    /** By column id; none if they are not in memory. */
    @JsonValue
    public Map<Integer, ColumnSketch> inMemory() {
        return state.inMemory;
    }

    /** Their place if they are not in memory. */
    public Optional<Place> place() {
        return Optional.ofNullable(state.place);
    }

    /**
     * The sketches in memory: those of the file, or those of its group.
     *
     * @param rowCount of the file
     */
    public Group group(long rowCount) {
        State now = state;
        return now.place == null ? new Group(now.inMemory, rowCount) : now.place.group();
    }

    /** From now on they are in a base. */
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
     * @param row of the file in it
     * @param group the merged sketches of this and other files of the base
     */
    public record Place(ManifestBase base, long row, Group group) {
        public Place {
            requireNonNull(base, "base is null");
            requireNonNull(group, "group is null");
        }
    }

    /**
     * The sketches of some files put together: of one partition, with the same columns. Immutable,
     * and only the same as itself.
     */
    public static final class Group {
        private final Map<Integer, ColumnSketch> sketches;
        private final long rowCount;

        /**
         * @param sketches by column id
         * @param rowCount of all files, at least 1
         */
        public Group(Map<Integer, ColumnSketch> sketches, long rowCount) {
            this.sketches = Collections.unmodifiableMap(sketches);
            this.rowCount = rowCount;
        }

        /** By column id. */
        public Map<Integer, ColumnSketch> sketches() {
            return sketches;
        }

        /** Rows of all files. */
        public long rowCount() {
            return rowCount;
        }
    }

    /** Both at once, so that no reader sees neither. */
    private record State(Map<Integer, ColumnSketch> inMemory, @Nullable Place place) {}
}
