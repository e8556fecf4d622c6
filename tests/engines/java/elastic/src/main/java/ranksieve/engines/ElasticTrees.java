package ranksieve.engines;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.elasticsearch.xcontent.ObjectParser;
import org.elasticsearch.xcontent.ParseField;
import org.elasticsearch.xcontent.XContentParser;

/** Models of type model/xgboost+json: what the plugins refuse, and how they walk a tree. */
final class ElasticTrees implements Elastic.Ranker {
    private static final Set<String> PLAIN = Set.of("binary:logitraw", "rank:pairwise", "reg:linear");
    private static final Set<String> PLAIN_LATER = Set.of("rank:ndcg", "rank:map");
    private static final Set<String> LOGISTIC = Set.of("binary:logistic", "reg:logistic");

    private final Elastic.Version version;
    private final List<String> names;
    private List<Node> trees = new ArrayList<>();
    private boolean logistic = false;

    private ElasticTrees(Elastic.Version version, List<String> names) {
        this.version = version;
        this.names = names;
    }

    static ElasticTrees parse(Elastic.Version version, String definition, List<String> names) throws Exception {
        ElasticTrees model = new ElasticTrees(version, names);
        try (XContentParser parser = Elastic.parser(definition)) {
            XContentParser.Token first = parser.nextToken();
            if (first == XContentParser.Token.START_OBJECT) {
                model.ensemble().parse(parser, model, null);
            } else {
                Elastic.require(first == XContentParser.Token.START_ARRAY, "Expected an array or an object");
                while (parser.nextToken() != XContentParser.Token.END_ARRAY) {
                    model.trees.add(model.node(parser));
                }
            }
        }
        Elastic.require(!model.trees.isEmpty(), "XGBoost model must define at least one tree");
        return model;
    }

    private ObjectParser<ElasticTrees, Void> ensemble() {
        ObjectParser<ElasticTrees, Void> parser = new ObjectParser<>("xgboost_definition");
        parser.declareString(ElasticTrees::setObjective, new ParseField("objective"));
        parser.declareObjectArray((model, trees) -> model.trees = trees, (p, c) -> node(p), new ParseField("splits"));
        return parser;
    }

    private void setObjective(String objective) {
        logistic = LOGISTIC.contains(objective);
        boolean known = logistic || PLAIN.contains(objective)
            || version.rankObjectives() && PLAIN_LATER.contains(objective);
        Elastic.require(known, "Objective [" + objective + "] is not a valid XGBoost objective");
    }

    /** A node as it is read; a leaf where it has the key leaf. */
    private static final class Node {
        Integer nodeid, depth, yes, no, missing;
        String split;
        Float threshold, leaf;
        List<Node> children;
        int feature;
    }

    private Node node(XContentParser parser) throws java.io.IOException {
        Node node = fields().parse(parser, new Node(), null);
        if (node.leaf != null) {
            Elastic.require(node.nodeid != null, "This leaf does not have all the required fields");
            return node;
        }
        Elastic.require(node.nodeid != null && node.threshold != null && node.split != null && node.yes != null
            && node.no != null && node.depth != null && node.children != null && node.children.size() == 2,
            "This split does not have all the required fields");
        boolean placed = node.yes.equals(node.children.get(0).nodeid) && node.no.equals(node.children.get(1).nodeid);
        if (version.missing() == Elastic.Missing.LEARNED && !version.directions() && node.missing != null) {
            placed &= node.missing.equals(node.yes) || node.missing.equals(node.no);
        }
        Elastic.require(placed, "Split structure is invalid");
        Elastic.require(names.contains(node.split), "Unknown feature [" + node.split + "]");
        Elastic.require(node.missing != null || !version.directions(), "the direction missing is null");
        node.feature = names.indexOf(node.split);
        return node;
    }

    private ObjectParser<Node, Void> fields() {
        ObjectParser<Node, Void> parser = new ObjectParser<>("node");
        parser.declareInt((node, value) -> node.nodeid = value, new ParseField("nodeid"));
        parser.declareInt((node, value) -> node.depth = value, new ParseField("depth"));
        parser.declareString((node, value) -> node.split = value, new ParseField("split"));
        parser.declareFloat((node, value) -> node.threshold = value, new ParseField("split_condition"));
        parser.declareInt((node, value) -> node.no = value, new ParseField("no"));
        parser.declareInt((node, value) -> node.yes = value, new ParseField("yes"));
        parser.declareInt((node, value) -> node.missing = value, new ParseField("missing"));
        parser.declareFloat((node, value) -> node.leaf = value, new ParseField("leaf"));
        parser.declareObjectArray((node, value) -> node.children = value, (p, c) -> node(p), new ParseField("children"));
        return parser;
    }

    @Override
    public float missing() {
        return version.missing() == Elastic.Missing.ZERO ? 0 : Float.NaN;
    }

    @Override
    public float score(float[] scores) {
        float sum = 0;
        for (Node tree : trees) {
            sum += leaf(tree, scores);
        }
        return logistic ? (float) (1 / (1 + Math.exp(-sum))) : sum;
    }

    private float leaf(Node node, float[] scores) {
        while (node.leaf == null) {
            node = node.children.get(left(node, scores[node.feature]) ? 0 : 1);
        }
        return node.leaf;
    }

    private boolean left(Node node, float value) {
        if (Float.isNaN(value) && version.missing() == Elastic.Missing.LEARNED) {
            return node.yes.equals(node.missing);
        }
        return node.threshold > value;
    }
}
