package io.stele.distribution.installation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The jars in the zips of this build: nothing in them was written for tests. */
final class ProductJarsIT {
    /** Stores, logs and pools in memory or in virtual time, and what makes them fail. */
    private static final Pattern FAKE =
            Pattern.compile(
                    "io/stele/(?:testing/.*"
                            + "|(?:.*/)?(?:InMemory|FaultInjecting|Simulated|Fake|Test)[A-Z][^/]*"
                            + "|(?:.*/)?(?:CrashPoint|LogFaults)(?:\\$[^/]*)?)\\.class");

    @ParameterizedTest
    @ValueSource(strings = {"stele-sidecar", "stele-plugin"})
    void haveNoFakes(String name) throws IOException {
        List<String> fakes = new ArrayList<>();
        int classes = 0;
        try (ZipFile zip = new ZipFile(InstallationIT.built(name).toFile())) {
            for (ZipEntry jar : zip.stream().filter(ProductJarsIT::isOurs).toList()) {
                List<String> found = classes(zip.getInputStream(jar));
                classes += found.size();
                found.stream()
                        .filter(path -> FAKE.matcher(path).matches())
                        .map(path -> jar.getName() + ": " + path)
                        .forEach(fakes::add);
            }
        }
        assertEquals(List.of(), fakes);
        // Else the test looked at the wrong jars.
        assertTrue(classes > 300, "Expected hundreds of classes in " + name + ", found " + classes);
    }

    private static boolean isOurs(ZipEntry entry) {
        return entry.getName().matches(".*/stele-[^/]*\\.jar");
    }

    private static List<String> classes(InputStream jar) throws IOException {
        List<String> classes = new ArrayList<>();
        try (ZipInputStream entries = new ZipInputStream(jar)) {
            for (ZipEntry entry = entries.getNextEntry();
                    entry != null;
                    entry = entries.getNextEntry()) {
                if (entry.getName().endsWith(".class")) {
                    classes.add(entry.getName());
                }
            }
        }
        return classes;
    }
}
