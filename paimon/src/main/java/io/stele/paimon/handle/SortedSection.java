package io.stele.paimon.handle;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The unit of a merge: files of one bucket whose ranges of keys overlap, and which no other file's
 * range overlaps.
 *
 * @param runs files of one run follow each other in their keys
 */
public record SortedSection(List<List<SortedFile>> runs) {
    public SortedSection {
        runs = requireNonNull(runs, "runs is null").stream().map(List::copyOf).toList();
        checkArgument(
                !runs.isEmpty() && runs.stream().noneMatch(List::isEmpty), "a run has no files");
    }
}
