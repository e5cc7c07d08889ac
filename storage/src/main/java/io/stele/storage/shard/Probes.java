package io.stele.storage.shard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The questions to files that the changes of one batch raise, and their answers. A question that
 * has no answer yet is noted: then the batch is evaluated again later, when it has one. Confined to
 * the shard's context.
 */
public final class Probes {
    private final Map<KeySlice, Optional<byte[]>> answers = new HashMap<>();
    private final List<byte[]> open = new ArrayList<>();
    private @Nullable Object filesVersion;

    /** What files say of a key; null: not known yet, and asked for. */
    public @Nullable Optional<byte[]> find(byte[] key) {
        Optional<byte[]> answer = answers.get(new KeySlice(key));
        if (answer == null) {
            open.add(key);
        }
        return answer;
    }

    /** Forgets answers that came from other files than these. */
    void require(Object newFilesVersion) {
        if (filesVersion != newFilesVersion) {
            answers.clear();
            filesVersion = newFilesVersion;
        }
        open.clear();
    }

    boolean hasOpen() {
        return !open.isEmpty();
    }

    /** The open questions, each once. */
    List<byte[]> takeOpen() {
        Map<KeySlice, byte[]> distinct = new HashMap<>();
        open.forEach(key -> distinct.put(new KeySlice(key), key));
        open.clear();
        return List.copyOf(distinct.values());
    }

    /** Takes answers that came from the files of a version; older ones are of no use. */
    void answer(Object answeredVersion, Map<KeySlice, Optional<byte[]>> found) {
        if (answeredVersion == filesVersion) {
            answers.putAll(found);
        }
    }
}
