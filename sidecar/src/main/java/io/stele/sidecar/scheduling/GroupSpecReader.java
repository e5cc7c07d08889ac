package io.stele.sidecar.scheduling;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.scheduler.SchedulingGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A parser of {@code scheduling-groups.json}, whose format docs/configuration.md describes. Every
 * mistake is an error that names the file and the place in it, what was expected and what was
 * found.
 */
final class GroupSpecReader {
    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private static final int MAX_BYTES = 1 << 20; // far beyond what a person writes
    private static final int MAX_GROUPS = 1_000;
    private static final int MAX_LIMIT = 1_000_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final Set<String> RESERVED = Set.of("data-bound");

    private final Path file;

    private GroupSpecReader(Path file) {
        this.file = requireNonNull(file, "file is null");
    }

    /**
     * @throws SteleException INVALID_ARGUMENT: what is wrong where
     */
    static GroupSpecs read(Path file) {
        return new GroupSpecReader(file).read();
    }

    private GroupSpecs read() {
        JsonNode root = parse();
        requireObject(root, "$", Set.of("groups", "selectors"));
        Map<String, GroupSpec> groups = new LinkedHashMap<>();
        for (Element element : elements(root, "groups")) {
            GroupSpec group = group(element);
            if (groups.put(group.name(), group) != null) {
                throw wrong(element.path() + ".name", "a name of its own", group.name());
            }
        }
        groups.computeIfAbsent(GroupSpec.DEFAULT_NAME, GroupSpec::ofName);
        if (groups.size() > MAX_GROUPS) {
            throw wrong("$.groups", "at most " + MAX_GROUPS + " groups", groups.size());
        }
        List<Selector> selectors = new ArrayList<>();
        for (Element element : elements(root, "selectors")) {
            selectors.add(selector(element, groups.keySet()));
        }
        return new GroupSpecs(List.copyOf(groups.values()), selectors);
    }

    private JsonNode parse() {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw wrong("$", "at most " + MAX_BYTES + " bytes", Files.size(file));
            }
            return JSON.readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            throw wrong(
                    "line " + (e.getLocation() == null ? 1 : e.getLocation().getLineNr()),
                    "JSON",
                    e.getOriginalMessage());
        } catch (IOException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a readable file of scheduling groups, found %s (%s)"
                            .formatted(file, e),
                    e);
        }
    }

    private GroupSpec group(Element element) {
        JsonNode node = element.node();
        String path = element.path();
        requireObject(
                node, path, Set.of("name", "shares", "maxRunning", "maxQueued", "maxLookups"));
        JsonNode name = node.path("name");
        if (!name.isTextual()
                || !NAME.matcher(name.textValue()).matches()
                || RESERVED.contains(name.textValue())) {
            throw wrong(
                    path + ".name",
                    "1 to 64 letters, digits, - or _, and not one of " + RESERVED,
                    name);
        }
        return new GroupSpec(
                name.textValue(),
                number(element, "shares", GroupSpec.DEFAULT_SHARES, 1, SchedulingGroup.MAX_SHARES),
                number(element, "maxRunning", GroupSpec.DEFAULT_MAX_RUNNING, 1, MAX_LIMIT),
                number(element, "maxQueued", GroupSpec.DEFAULT_MAX_QUEUED, 0, MAX_LIMIT),
                number(element, "maxLookups", GroupSpec.DEFAULT_MAX_LOOKUPS, 1, MAX_LIMIT));
    }

    private int number(Element element, String key, int absent, int min, int max) {
        JsonNode value = element.node().path(key);
        if (value.isMissingNode()) {
            return absent;
        }
        if (!value.isInt() || value.intValue() < min || value.intValue() > max) {
            throw wrong(
                    element.path() + "." + key,
                    "a number from %d to %d".formatted(min, max),
                    value);
        }
        return value.intValue();
    }

    private Selector selector(Element element, Set<String> groups) {
        JsonNode node = element.node();
        requireObject(node, element.path(), Set.of("user", "source", "resourceGroup", "group"));
        JsonNode group = node.path("group");
        if (!group.isTextual() || !groups.contains(group.textValue())) {
            throw wrong(element.path() + ".group", "one of the groups " + groups, group);
        }
        return new Selector(
                pattern(element, "user"),
                pattern(element, "source"),
                pattern(element, "resourceGroup"),
                group.textValue());
    }

    private Optional<Pattern> pattern(Element element, String key) {
        JsonNode value = element.node().path(key);
        if (value.isMissingNode()) {
            return Optional.empty();
        }
        if (!value.isTextual()) {
            throw wrong(element.path() + "." + key, "a regular expression", value);
        }
        try {
            return Optional.of(Pattern.compile(value.textValue()));
        } catch (PatternSyntaxException e) {
            throw wrong(
                    element.path() + "." + key,
                    "a regular expression",
                    "'%s': %s".formatted(value.textValue(), e.getDescription()));
        }
    }

    private List<Element> elements(JsonNode root, String key) {
        JsonNode array = root.path(key);
        if (array.isMissingNode()) {
            return List.of();
        }
        if (!array.isArray()) {
            throw wrong("$." + key, "an array", array);
        }
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            elements.add(new Element(array.get(i), "$.%s[%d]".formatted(key, i)));
        }
        return elements;
    }

    private void requireObject(JsonNode node, String path, Set<String> keys) {
        if (!node.isObject()) {
            throw wrong(path, "an object", node);
        }
        node.fieldNames()
                .forEachRemaining(
                        key -> {
                            if (!keys.contains(key)) {
                                throw wrong(
                                        path,
                                        "only the keys " + keys.stream().sorted().toList(),
                                        "'" + key + "'");
                            }
                        });
    }

    private SteleException wrong(String where, String expected, @Nullable Object found) {
        Object shown = found instanceof JsonNode node && node.isMissingNode() ? "nothing" : found;
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected %s at %s of %s, found %s".formatted(expected, where, file, shown));
    }

    private record Element(JsonNode node, String path) {}
}
