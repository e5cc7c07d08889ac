package io.stele.storage.shard;

import io.stele.storage.tablet.TableView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that one batch needs to know from files: rows of its own table and what the table's checks
 * ask. Confined to the shard's context; a {@link Question} can be answered on any thread.
 */
final class BatchProbes {
    private final RowProbes rows;
    private final List<ChangeCheck> checks;
    private final List<Probes> ofChecks = new ArrayList<>();

    BatchProbes(FileRows rows, List<ChangeCheck> checks) {
        this.rows = new RowProbes(rows);
        this.checks = List.copyOf(checks);
        this.checks.forEach(check -> ofChecks.add(new Probes()));
    }

    /** Before an evaluation: what was known of other files than the present ones is forgotten. */
    void require(TableView view) {
        rows.require(view);
        for (int i = 0; i < checks.size(); i++) {
            ofChecks.get(i).require(checks.get(i).filesVersion());
        }
    }

    RowProbes rows() {
        return rows;
    }

    Probes ofCheck(int index) {
        return ofChecks.get(index);
    }

    List<ChangeCheck> checks() {
        return checks;
    }

    boolean hasOpen() {
        return rows.hasOpen() || ofChecks.stream().anyMatch(Probes::hasOpen);
    }

    Question takeOpen() {
        List<CheckQuestion> questions = new ArrayList<>();
        for (int i = 0; i < checks.size(); i++) {
            questions.add(
                    new CheckQuestion(
                            checks.get(i),
                            checks.get(i).filesVersion(),
                            ofChecks.get(i).takeOpen()));
        }
        return new Question(rows.takeOpen(), questions);
    }

    void answer(Answers answers) {
        rows.answer(answers.rows());
        for (int i = 0; i < ofChecks.size(); i++) {
            CheckAnswers found = answers.ofChecks().get(i);
            ofChecks.get(i).answer(found.filesVersion(), found.found());
        }
    }

    /** What is asked; {@link #answer} blocks on files. */
    record Question(RowProbes.Question rows, List<CheckQuestion> ofChecks) {
        Answers answer() throws IOException {
            List<CheckAnswers> found = new ArrayList<>();
            for (CheckQuestion question : ofChecks) {
                found.add(question.answer());
            }
            return new Answers(rows.answer(), found);
        }
    }

    record Answers(RowProbes.Answers rows, List<CheckAnswers> ofChecks) {}

    record CheckQuestion(ChangeCheck check, Object filesVersion, List<byte[]> keys) {
        CheckAnswers answer() throws IOException {
            Map<KeySlice, Optional<byte[]>> found = new HashMap<>();
            for (byte[] key : keys) {
                found.put(new KeySlice(key), check.probe(key));
            }
            return new CheckAnswers(filesVersion, found);
        }
    }

    record CheckAnswers(Object filesVersion, Map<KeySlice, Optional<byte[]>> found) {}
}
