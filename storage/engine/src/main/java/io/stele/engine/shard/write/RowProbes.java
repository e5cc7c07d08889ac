package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.write.FileRows.Found;
import io.stele.engine.tablet.TableView;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lookups of one batch in the files of its table, with their results: requested and found rows.
 * Confined to the shard's context; a {@link Question} can be answered on any thread.
 */
final class RowProbes {
    private final FileRows rows;
    private final Map<KeySlice, Optional<Found>> answers = new HashMap<>();
    private final Map<KeySlice, Boolean> open = new HashMap<>();
    private @Nullable TableView view;

    RowProbes(FileRows rows) {
        this.rows = requireNonNull(rows, "rows is null");
    }

    /** Discards results that came from other files than those of the view. */
    void require(TableView newView) {
        TableView known = view;
        if (known == null || !sameFiles(known, newView)) {
            answers.clear();
        }
        view = newView;
        open.clear();
    }

    /**
     * The row of a key in files; null: requested and not found yet.
     *
     * @param withRow whether the row itself is needed, or only whether there is one
     */
    @Nullable Optional<Found> find(KeySlice key, boolean withRow) {
        Optional<Found> answer = answers.get(key);
        if (answer != null && !(withRow && answer.isPresent() && answer.get().row().isEmpty())) {
            // A row that was deleted since has no newer version in files: it would still be in
            // memory.
            return answer.filter(found -> !found.isEnded());
        }
        if (answer == null && !rows.mayHave(requireNonNull(view), key.toByteArray())) {
            return Optional.empty();
        }
        open.merge(key, withRow, Boolean::logicalOr);
        return null;
    }

    boolean hasOpen() {
        return !open.isEmpty();
    }

    Question takeOpen() {
        Question question = new Question(rows, requireNonNull(view), Map.copyOf(open));
        open.clear();
        return question;
    }

    void answer(Answers found) {
        TableView known = view;
        if (known == null || sameFiles(known, found.view())) {
            view = found.view();
            answers.putAll(found.rows());
        }
    }

    @SuppressWarnings("ReferenceEquality") // lists are replaced when files change
    private static boolean sameFiles(TableView one, TableView other) {
        return one.sstFiles() == other.sstFiles() && one.columnFiles() == other.columnFiles();
    }

    /** Keys to look for in the files of a view, each with or without its row. */
    record Question(FileRows rows, TableView view, Map<KeySlice, Boolean> keys) {
        /** Blocks on files. */
        Answers answer() throws IOException {
            return new Answers(view, rows.find(view, keys));
        }
    }

    /** The rows in the files of a view. */
    record Answers(TableView view, Map<KeySlice, Optional<Found>> rows) {}
}
