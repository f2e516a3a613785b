using Arwarden.Unity;
using UnityEngine;

namespace Arwarden.Samples
{
    /// <summary>
    /// Something to watch: two signs that contradict each other half of the time, and a microwave that hangs in the air
    /// until it is corrected. Everything is made at run time, two metres before this object.
    /// </summary>
    public sealed class DemoScene : MonoBehaviour
    {
        private const float AwayM = 2f;
        private const float EyesM = 1.5f;

        [Tooltip("So many seconds the signs agree, and so many they do not.")]
        [SerializeField]
        private float _changeAfter = 12f;

        private TextMesh _second;
        private float _sinceChange;
        private bool _contradicts;

        /// <summary>Whether the two signs contradict each other now.</summary>
        public bool Contradicts
        {
            get { return _contradicts; }
        }

        private void Awake()
        {
            MakeSign("sign-1", new Vector3(-0.45f, EyesM, AwayM), "Door locked");
            _second = MakeSign("sign-2", new Vector3(0.45f, EyesM, AwayM), "Door locked");
            MakeMicrowave(new Vector3(0f, EyesM - 0.4f, AwayM));
        }

        private void Update()
        {
            _sinceChange += Time.unscaledDeltaTime;
            if (_sinceChange >= _changeAfter)
            {
                _sinceChange = 0f;
                _contradicts = !_contradicts;
                _second.text = _contradicts ? "Door unlocked" : "Door locked";
            }
        }

        private TextMesh MakeSign(string id, Vector3 place, string text)
        {
            GameObject board = GameObject.CreatePrimitive(PrimitiveType.Cube);
            board.name = id;
            board.transform.SetParent(transform, false);
            board.transform.localPosition = place;
            board.transform.localScale = new Vector3(0.7f, 0.25f, 0.01f);
            board.AddComponent<ReportedObject>().Describe(id, "sign", text, new Vector3(0.7f, 0.25f, 0.01f));
            var writing = new GameObject(id + " text");
            writing.transform.SetParent(transform, false);
            writing.transform.localPosition = place + new Vector3(0f, 0f, -0.01f);
            TextMesh mesh = writing.AddComponent<TextMesh>();
            mesh.font = Resources.GetBuiltinResource<Font>("LegacyRuntime.ttf");
            writing.GetComponent<MeshRenderer>().sharedMaterial = mesh.font.material;
            mesh.fontSize = 72;
            mesh.characterSize = 0.012f;
            mesh.anchor = TextAnchor.MiddleCenter;
            mesh.color = Color.black;
            mesh.text = text;
            return mesh;
        }

        private void MakeMicrowave(Vector3 place)
        {
            GameObject box = GameObject.CreatePrimitive(PrimitiveType.Cube);
            box.name = "microwave";
            box.transform.SetParent(transform, false);
            box.transform.localPosition = place;
            box.transform.localScale = new Vector3(0.5f, 0.3f, 0.4f);
            box.AddComponent<ReportedObject>()
                .Describe("microwave", "microwave", "", new Vector3(0.5f, 0.3f, 0.4f));
            box.AddComponent<Adjustable>();
        }
    }
}
