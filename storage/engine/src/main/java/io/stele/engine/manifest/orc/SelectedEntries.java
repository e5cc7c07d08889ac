package io.stele.engine.manifest.orc;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileSketches;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The entries that were selected from a base, with their rows in it and their positions in the
 * manifest's order: arrays, since a base may have very many. Confined to one thread.
 */
final class SelectedEntries {
    private static final int INITIAL_CAPACITY = 64;

    private FileEntry[] entries = new FileEntry[INITIAL_CAPACITY];
    private int[] positions = new int[INITIAL_CAPACITY];
    private int[] rows = new int[INITIAL_CAPACITY]; // ascending
    private int size;

    /** Adds the entry of a row after all others. */
    void add(long row, long position, FileEntry entry) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
            positions = Arrays.copyOf(positions, 2 * size);
            rows = Arrays.copyOf(rows, 2 * size);
        }
        entries[size] = entry;
        positions[size] = Math.toIntExact(position);
        rows[size] = Math.toIntExact(row);
        size++;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The entry of a row, if all rows were selected. */
    FileEntry get(long row) {
        return entries[(int) row];
    }

    /** Sets where the sketches of a row's entry are, if all rows were selected. */
    void moveSketches(long row, FileSketches.Place place) {
        entries[(int) row] = get(row).withSketches(FileSketches.at(place));
    }

    /** Adds sketches to the entry of a row, if it was selected. */
    void addSketches(long row, ByteBuffer sketches) {
        int found = Arrays.binarySearch(rows, 0, size, Math.toIntExact(row));
        if (found >= 0) {
            entries[found] = entries[found].withSketches(SketchBytes.decode(sketches));
        }
    }

    /** The entries in the manifest's order. */
    List<FileEntry> inOrder() {
        long[] order =
                LongStream.range(0, size)
                        .map(i -> (long) positions[(int) i] << Integer.SIZE | i)
                        .sorted()
                        .toArray();
        FileEntry[] ordered = new FileEntry[size];
        for (int i = 0; i < size; i++) {
            ordered[i] = entries[(int) order[i]];
        }
        return List.of(ordered);
    }
}
