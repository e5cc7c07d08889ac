package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Files as released versions wrote them, under {@code src/test/resources/golden}. A new layout is a
 * new version and a new file; a file that is here is never changed. {@code
 * -Dgolden.write=DIRECTORY} writes those that are missing.
 */
public final class Golden {
    private Golden() {}

    /** Checks that {@code written} is byte for byte what the released version wrote. */
    public static void check(String name, byte[] written) throws IOException {
        String directory = System.getProperty("golden.write");
        if (directory != null && Golden.class.getResource("/golden/" + name) == null) {
            Files.write(Path.of(directory, name), written);
            return;
        }
        HexFormat hex = HexFormat.of();
        assertThat(hex.formatHex(written))
                .as("bytes of golden file %s", name)
                .isEqualTo(hex.formatHex(load(name)));
    }

    public static byte[] load(String name) throws IOException {
        try (InputStream input = Golden.class.getResourceAsStream("/golden/" + name)) {
            assertThat(input).as("golden file %s", name).isNotNull();
            return input.readAllBytes();
        }
    }
}
