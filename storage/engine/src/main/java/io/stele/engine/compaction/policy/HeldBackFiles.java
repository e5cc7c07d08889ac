package io.stele.engine.compaction.policy;

import io.stele.engine.manifest.FileEntry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The files of a table on which compactions failed, with growing pauses during which compactions
 * exclude them, so that intact files are compacted meanwhile. In memory only. Confined to the
 * shard's context.
 */
public final class HeldBackFiles {
    /** The first pause, short since the next attempt may well succeed. */
    private static final long FIRST_PAUSE_MILLIS = 10_000;

    /** Eleven minutes: a repaired file need not wait much longer. */
    private static final long LONGEST_PAUSE_MILLIS = 640_000;

    private final Map<String, Held> files = new HashMap<>();

    private record Held(int failures, long untilMillis) {
        private boolean isHeld(long nowMillis) {
            return nowMillis < untilMillis;
        }
    }

    /**
     * Adds the inputs of a compaction that failed and would fail again.
     *
     * @param inputs the files that the cause names are held back, or all files if it names none
     * @param cause the message, which may contain names of objects
     */
    public void failed(List<FileEntry> inputs, String cause, long nowMillis) {
        List<FileEntry> named =
                inputs.stream().filter(file -> cause.contains(file.fileId())).toList();
        for (FileEntry file : named.isEmpty() ? inputs : named) {
            Held before = files.get(file.fileId());
            int failures = before == null ? 1 : before.failures() + 1;
            files.put(file.fileId(), new Held(failures, nowMillis + pauseMillis(failures)));
        }
    }

    private static long pauseMillis(int failures) {
        return Math.min(
                LONGEST_PAUSE_MILLIS,
                FIRST_PAUSE_MILLIS << Math.min(failures - 1, Integer.SIZE / 2));
    }

    /** Whether compactions exclude the file now. */
    public boolean contains(FileEntry file, long nowMillis) {
        Held held = files.get(file.fileId());
        return held != null && held.isHeld(nowMillis);
    }

    /** Drops files that the table no longer has. */
    public void retain(Set<String> fileIds) {
        files.keySet().retainAll(fileIds);
    }

    /** Whether there is no file on which compactions failed. */
    public boolean isEmpty() {
        return files.isEmpty();
    }
}
