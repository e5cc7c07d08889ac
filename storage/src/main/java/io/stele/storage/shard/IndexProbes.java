package io.stele.storage.shard;

import io.stele.storage.tablet.IndexView;
import io.stele.storage.tablet.RowFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one batch asks the files of a unique index, and the answers: the primary keys whose rows may
 * have some values. A question that has no answer yet is noted: then the batch is evaluated again
 * later, when it has one. Confined to the shard's context; a {@link Question} can be answered on
 * any thread.
 */
final class IndexProbes {
    private final Map<KeySlice, List<byte[]>> answers = new HashMap<>();
    private final Map<KeySlice, byte[]> open = new HashMap<>();
    private @Nullable List<RowFile> files;

    /** The primary keys that files have for the values; null: not known yet, and asked for. */
    @Nullable List<byte[]> find(byte[] values) {
        KeySlice key = new KeySlice(values);
        List<byte[]> answer = answers.get(key);
        if (answer == null) {
            open.put(key, values);
        }
        return answer;
    }

    /** Forgets answers that came from other files than those of the index now. */
    void require(IndexView index) {
        if (!isOf(index)) {
            answers.clear();
            files = index.files();
        }
        open.clear();
    }

    boolean hasOpen() {
        return !open.isEmpty();
    }

    Question takeOpen(IndexView index) {
        Question question =
                new Question(index, open.keySet().stream().sorted().toList()); // as files are
        open.clear();
        return question;
    }

    /** Takes answers; those that came from other files are of no use. */
    void answer(Answers found) {
        if (isOf(found.index())) {
            answers.putAll(found.primaryKeys());
        }
    }

    @SuppressWarnings("ReferenceEquality") // the list is replaced when files change
    private boolean isOf(IndexView index) {
        return files == index.files();
    }

    /** Values to look for in the files of an index. */
    record Question(IndexView index, List<KeySlice> values) {
        /** Blocks on files. */
        Answers answer() throws IOException {
            Map<KeySlice, List<byte[]>> found = new HashMap<>();
            for (KeySlice wanted : values) {
                found.put(wanted, new ArrayList<>(index.primaryKeysInFiles(wanted.toByteArray())));
            }
            return new Answers(index, found);
        }
    }

    /** What the files of an index have. */
    record Answers(IndexView index, Map<KeySlice, List<byte[]>> primaryKeys) {}
}
