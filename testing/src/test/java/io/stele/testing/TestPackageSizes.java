package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limit on the files of a package, in the main code of every module that a pom names. */
final class TestPackageSizes {
    /** With more files, the listing of a package no longer shows what is in it. */
    private static final int MAX_FILES = 45;

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    @Test
    void noPackageOfTheRepositoryIsTooLarge() throws IOException {
        Map<String, Integer> files = filesByPackage(DocumentedExample.repository());

        assertThat(files)
                .containsKeys(
                        "testing/src/main/java/io/stele/testing",
                        "storage/engine/src/main/java/io/stele/engine/wal");
        check(files);
    }

    @Test
    void largePackageOfANestedModuleIsFound(@TempDir Path repository) throws IOException {
        Files.writeString(
                repository.resolve("pom.xml"),
                "<modules><module>storage</module><module>client</module></modules>");
        Path storage = Files.createDirectory(repository.resolve("storage"));
        Files.writeString(storage.resolve("pom.xml"), "<module>engine</module>");
        Path small = Files.createDirectories(repository.resolve("client/src/main/java/a"));
        Path large = Files.createDirectories(storage.resolve("engine/src/main/java/a"));
        Path inner = Files.createDirectory(large.resolve("b"));
        Files.writeString(repository.resolve("client/pom.xml"), "");
        Files.writeString(storage.resolve("engine/pom.xml"), "");
        for (int i = 0; i < MAX_FILES; i++) {
            Files.createFile(small.resolve("A" + i + ".java"));
            Files.createFile(large.resolve("A" + i + ".java"));
            Files.createFile(inner.resolve("A" + i + ".java"));
        }
        check(filesByPackage(repository));

        Files.createFile(large.resolve("Further.java"));

        assertThatThrownBy(() -> check(filesByPackage(repository)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("\"storage/engine/src/main/java/a\"=46")
                .hasMessageNotContaining("=45");
    }

    private static void check(Map<String, Integer> filesByPackage) {
        Map<String, Integer> large = new TreeMap<>(filesByPackage);
        large.values().removeIf(count -> count <= MAX_FILES);
        assertThat(large).as("packages of more than %d files", MAX_FILES).isEmpty();
    }

    /** The number of Java files, also of {@code package-info}, in each folder of main code. */
    private static Map<String, Integer> filesByPackage(Path repository) throws IOException {
        Map<String, Integer> files = new TreeMap<>();
        addModule(repository, repository, files);
        return files;
    }

    private static void addModule(Path repository, Path module, Map<String, Integer> files)
            throws IOException {
        Path sources = module.resolve("src/main/java");
        if (Files.exists(sources)) {
            try (Stream<Path> found = Files.walk(sources)) {
                found.filter(path -> path.toString().endsWith(".java"))
                        .map(path -> repository.relativize(path.getParent()).toString())
                        .forEach(folder -> files.merge(folder, 1, Integer::sum));
            }
        }
        Matcher nested = MODULE.matcher(Files.readString(module.resolve("pom.xml")));
        while (nested.find()) {
            addModule(repository, module.resolve(nested.group(1).strip()), files);
        }
    }
}
