package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.index.IndexView;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ParallelReads;
import io.stele.objectstore.WouldBlockException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lookups of one batch in the files of a unique index, with their results: the primary keys
 * whose rows may have given values. A lookup without a result yet is recorded, and the batch is
 * evaluated again when the result is there. Confined to the shard's context; a {@link Question} can
 * be answered on any thread.
 */
final class IndexProbes {
    private static final int VALUES_A_FETCH = 1024; // some blocks of 16 KiB each

    private final Map<KeySlice, List<byte[]>> answers = new HashMap<>();
    private final Map<KeySlice, byte[]> open = new HashMap<>();
    private @Nullable IndexView index;

    /**
     * The primary keys that files have for the values; null: requested and not found yet. Cached
     * filters and blocks answer at once.
     */
    @Nullable List<byte[]> find(byte[] values) {
        IndexView present = requireNonNull(index, "no index yet");
        if (present.files().isEmpty()) {
            return List.of();
        }
        KeySlice key = new KeySlice(values);
        List<byte[]> known = answers.get(key);
        if (known != null) {
            return known;
        }
        try {
            List<byte[]> found =
                    List.copyOf(NonBlocking.read(() -> present.primaryKeysInFiles(values)));
            if (!found.isEmpty()) {
                answers.put(key, found);
            }
            return found;
        } catch (WouldBlockException | IOException unknown) {
            open.put(key, values);
            return null;
        }
    }

    /** Discards results that came from other files than the index's present ones. */
    void require(IndexView present) {
        if (!isOf(present)) {
            answers.clear();
        }
        index = present;
        open.clear();
    }

    boolean hasOpen() {
        return !open.isEmpty();
    }

    Question takeOpen(IndexView present) {
        Question question =
                new Question(present, open.keySet().stream().sorted().toList()); // as files are
        open.clear();
        return question;
    }

    /** Stores answers; answers from other files are discarded. */
    void answer(Answers found) {
        if (isOf(found.index())) {
            answers.putAll(found.primaryKeys());
        }
    }

    @SuppressWarnings("ReferenceEquality") // the list is replaced when files change
    private boolean isOf(IndexView other) {
        IndexView known = index;
        return known != null && known.files() == other.files();
    }

    /** Values to look for in the files of an index. */
    record Question(IndexView index, List<KeySlice> values) {
        /** Blocks on files; blocks for several values are read together, if the store is remote. */
        Answers answer(ParallelReads reads) throws IOException {
            Map<KeySlice, List<byte[]>> found = new HashMap<>();
            for (int i = 0; i < values.size(); i += VALUES_A_FETCH) {
                List<KeySlice> together =
                        values.subList(i, Math.min(values.size(), i + VALUES_A_FETCH));
                IndexView fetched =
                        index.prefetched(
                                together.stream().map(KeySlice::toByteArray).toList(), reads);
                for (KeySlice wanted : together) {
                    found.put(
                            wanted,
                            new ArrayList<>(fetched.primaryKeysInFiles(wanted.toByteArray())));
                }
            }
            return new Answers(index, found);
        }
    }

    /** The entries in the files of an index. */
    record Answers(IndexView index, Map<KeySlice, List<byte[]>> primaryKeys) {}
}
