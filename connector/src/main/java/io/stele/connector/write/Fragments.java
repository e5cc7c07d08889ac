package io.stele.connector.write;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.WrittenFile;
import java.util.Collection;
import java.util.List;

/**
 * How workers tell the coordinator about their files: each as JSON, in the order in which they were
 * written. Stateless.
 */
public final class Fragments {
    private Fragments() {}

    static Collection<Slice> of(List<WrittenFile> files) {
        return files.stream().map(file -> Slices.wrappedBuffer(ApiJson.write(file))).toList();
    }

    public static List<WrittenFile> files(Collection<Slice> fragments) {
        return fragments.stream()
                .map(fragment -> ApiJson.read(fragment.getBytes(), WrittenFile.class))
                .toList();
    }
}
