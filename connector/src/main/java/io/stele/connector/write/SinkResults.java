package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.write.WrittenFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The results that the successful writers of a statement report to the coordinator for its commit.
 * They name the parts of the sidecar's transaction whose rows count, and the files in the order in
 * which they were written. Attempts that failed, or whose result is not used, report nothing, so
 * none of their rows and files count. Immutable.
 */
public record SinkResults(List<UUID> parts, List<WrittenFile> files) {
    public SinkResults {
        parts = List.copyOf(parts);
        files = List.copyOf(files);
    }

    /** Encodes the result of one writer. */
    static Collection<Slice> of(List<UUID> parts, List<WrittenFile> files) {
        List<Slice> fragments = new ArrayList<>();
        for (UUID part : parts) {
            fragments.add(slice(new Fragment(Optional.of(part), Optional.empty())));
        }
        for (WrittenFile file : files) {
            fragments.add(slice(new Fragment(Optional.empty(), Optional.of(file))));
        }
        return fragments;
    }

    /** Decodes the results of all writers. */
    public static SinkResults read(Collection<Slice> fragments) {
        List<UUID> parts = new ArrayList<>();
        List<WrittenFile> files = new ArrayList<>();
        for (Slice slice : fragments) {
            Fragment fragment = ApiJson.read(slice.getBytes(), Fragment.class);
            fragment.part.ifPresent(parts::add);
            fragment.file.ifPresent(files::add);
        }
        return new SinkResults(parts, files);
    }

    private static Slice slice(Fragment fragment) {
        return Slices.wrappedBuffer(ApiJson.write(fragment));
    }

    /** A part or a file, as JSON. */
    record Fragment(Optional<UUID> part, Optional<WrittenFile> file) {
        Fragment {
            requireNonNull(part, "part is null");
            requireNonNull(file, "file is null");
        }
    }
}
