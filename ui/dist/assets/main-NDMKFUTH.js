var G,nr,Yn,ze,Gn,yn,or,vn,rr,Qn,zn,Pa,jt=Symbol.for("pv"),_n={},wn=[],Aa=/^m(i|n|o|s|text|space)$/,Zn=Array.isArray,Xn=wn.slice,lt=Object.assign;function it(e){
e&&e.parentNode&&e.remove()}function kn(e,n,o){var r,s,a,i={},l=arguments.length;for(a in n)a=="key"?r=n[a]:a=="ref"&&typeof e!="function"?s=n[a]:i[a]=n[a];return l>
2&&(i.children=l>3?Xn.call(arguments,2):o),Wt(e,i,r,s,null)}function Wt(e,n,o,r,s){var a={type:e,props:n,key:o,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:jt,__v:s||++nr,__i:-1,__u:0};return!s&&G.vnode&&G.
vnode(a),a}function T(e){return e.children}function Ye(e,n){this.props=e,this.context=n,this.__g=0}function Qe(e,n){if(n==null)return e.__&&Qe(e.__,e.__i+1);for(var o;n<e.
__k.length;n++)if((o=e.__k[n])&&o.__e)return o.__e;return typeof e.type!="function"||e.props.__P?null:Qe(e)}function Na(e){var n,o=e.__v,r=o.__e,s=[],a=[],i=e.__P;
i&&((n=lt({constructor:jt},o)).__v=o.__v+1,G.vnode&&G.vnode(n),eo(i,n,o,e.__n,i.namespaceURI,32&o.__u?[r]:null,s,r||Qe(o),32&o.__u,a),n.__v=o.__v,n.__.__k[n.__i]=
n,ur(s,n,a),o.__=o.__e=null,n.__e!=r&&sr(n))}function sr(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(n){return n&&(e.__e=n.__e)}),
sr(e)}function er(e){(8&e.__g||(e.__g|=8,ze.push(e),yn++))&&Gn==G.debounceRendering||((Gn=G.debounceRendering)||queueMicrotask)(ar)}function ar(){try{for(var e,
n=1;ze.length;)ze.length>n&&ze.sort(or),e=ze.shift(),n=ze.length,8&e.__g&&Na(e)}finally{(yn=ze.length)&&(Gn||queueMicrotask)(ar)}}function ir(e,n,o,r,s,a,i,l,u,f,c){
var m,h,d,p,w,S,k=r.__k||wn,b=n.length;for(u=Ra(o,n,k,u,b),m=0;m<b;m++)(d=o.__k[m])!=null&&(h=~d.__i&&k[d.__i]||_n,d.__i=m,S=eo(e,d,h,s,a,i,l,u,f,c),p=d.__e,(h.
ref!=d.ref||8&h.__u)&&(h.ref&&to(h.ref,null,d,h),d.ref&&c.push(d.ref,d.__c||p,d)),w=w||p,4&d.__u?(u=lr(d,u,e,!h.__v),h.__e&&(h.__e=null)):typeof d.type=="functi\
on"&&S!==void 0?u=S:p&&(u=p.nextSibling),d.__u&=-21);return o.__e=w,u}function Ra(e,n,o,r,s){var a,i,l,u,f,c,m,h,d,p=o.length,w=p,S=0,k=0,b=e.__k=Array(s);for(a=
0;a<s;a++)(i=n[a])!=null&&typeof i!="boolean"&&typeof i!="function"?(typeof i!="object"||i.constructor===String?i=b[a]=Wt(null,i):Zn(i)?i=b[a]=Wt(T,{children:i}):
i.constructor===jt&&i.__b?i=b[a]=Wt(i.type,i.props,i.key,i.ref,i.__v):b[a]=i,u=a+S,i.__=e,i.__b=e.__b+1,l=null,~(f=i.__i=La(i,o,u,w))&&(w--,(l=o[f])&&(l.__u|=2)),
l&&l.__v?(i.__u|=16,f==u-1?S--:f==u+1?S++:f!=u&&(f>u?S--:S++,k=1)):(~f||(s>p?S--:s<p&&S++),typeof i.type!="function"&&(i.__u|=4))):b[a]=null;if(k){for(c=[],m=[],
a=0;a<s;a++)if((i=b[a])&&16&i.__u){for(S=0,h=c.length;S<h;)c[d=S+h>>1]<i.__i?S=d+1:h=d;c[S]=i.__i,m[a]=S+1}for(S=c.length;a--;)m[a]&&(m[a]==S?S--:b[a].__u|=4)}if(w)
for(a=0;a<p;a++)!(l=o[a])||2&l.__u||(l.__e==r&&(r=Qe(l)),no(l,l));return r}function lr(e,n,o,r){var s,a,i,l;if(typeof e.type=="function"){if(e.props.__P)return n;
if(s=e.__k)for(a=0;a<s.length;a++)s[a]&&(s[a].__=e,n=lr(s[a],n,o,!1));return n}for(n&&!n.parentNode&&(n=Qe(e))&&!n.parentNode&&(n=null),i=e.__e,l=n;l&&l.nodeType==
8;)l=l.nextSibling;for(i!=l&&(!r&&o.moveBefore&&i.parentNode?o.moveBefore(i,n):o.insertBefore(i,n||null)),n=i;(n=n&&n.nextSibling)&&n.nodeType==8&&!n.data.startsWith(
"$s"););return n}function La(e,n,o,r){var s,a=e.key,i=e.type,l=n[o],u=l&&!(2&l.__u);if(l===null&&a==null||u&&a==l.key&&i==l.type)return o;if(r>(u?1:0)){for(s=o-1;s>=0;s--)if((l=
n[s])&&!(2&l.__u)&&a==l.key&&i==l.type)return s;for(s=o+1;s<n.length;s++)if((l=n[s])&&!(2&l.__u)&&a==l.key&&i==l.type)return s}return-1}function tr(e,n,o){o==null&&
(o=""),n[0]=="-"?e.setProperty(n,o):e[n]=o}function gn(e,n,o,r,s){var a,i;if(n=="style")if(typeof o=="string")e.style.cssText=o;else{if(typeof r=="string"&&(e.style.
cssText=r=""),r)for(n in r)o&&n in o||tr(e.style,n);if(o)for(n in o)r&&o[n]==r[n]||tr(e.style,n,o[n])}else if(n[0]=="o"&&n[1]=="n")typeof o!="function"&&(o=null),
typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[n]=o,o&&r||(i=zn[n]||(zn[n]=Da(n)),(e.__a||(e.__a={}))[n]=Qn,a=n!=(n=n.replace(rr,"$1")),(n=n.slice(2))[0]<"a"&&
(n=n.toLowerCase()),o?e.addEventListener(n,i,a):e.removeEventListener(n,i,a));else{if(s=="http://www.w3.org/2000/svg")n=n.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(n!="width"&&n!="height"&&n!="href"&&n!="list"&&n!="form"&&n!="tabIndex"&&n!="download"&&n!="rowSpan"&&n!="colSpan"&&n!="role"&&n!="popover"&&n in e)
try{return void(e[n]=o??"")}catch{}if(typeof o=="function")return;o==null||o===!1&&n[4]!="-"?e.removeAttribute(n):e.setAttribute(n,n=="popover"&&o==1?"":o)}}function Da(e){
return function(n){var o=this.__e;if(o){if(o=o[e],n[vn]==null)n[vn]=Qn++;else if(n[vn]<this.__a[e])return;return o(G.event?G.event(n):n)}}}function eo(e,n,o,r,s,a,i,l,u,f){
var c,m,h,d,p,w,S,k,b,v,y,q,x,I,$,O,C,B,te=n.type;if(n.constructor!==jt)return null;128&o.__u&&(u=32&o.__u,c=o.__c.__z)&&(n.__u|=u,m=a=[],c.nodeType==8?l=bn(c,a):
a.push(c),l=a[0]||l),(c=G.__b)&&c(n);e:if(typeof te=="function"){h=i.length;try{if(k=n.props,b=(c=te.prototype)&&c.render,v=(c=te.contextType)&&r[c.__c],y=c?v?v.
props.value:c.__:r,(d=o.__c)?(n.__c=d,2&d.__g&&(d.__g|=1)):(b?n.__c=d=new te(k,y):(n.__c=d=new Ye(k,y),d.constructor=te,d.render=Ba),v&&v.sub(d),d.state||(d.state=
{}),d.__n=r,d.__g|=8,d.__h=[],d.__k=[]),b&&(d.__s||(d.__s=d.state),te.getDerivedStateFromProps&&(d.__s==d.state&&(d.__s=lt({},d.__s)),lt(d.__s,te.getDerivedStateFromProps(
k,d.__s)))),p=d.props,w=d.state,d.__v=n,o.__c){if(k!==p&&b&&!te.getDerivedStateFromProps&&d.componentWillReceiveProps&&d.componentWillReceiveProps(k,y),n.__v==o.
__v&&!(8&d.__g)||!(4&d.__g)&&d.shouldComponentUpdate&&d.shouldComponentUpdate(k,d.__s,y)===!1){n.__v!=o.__v&&(d.props=k,d.state=d.__s,d.__g&=-9),n.__e=o.__e,n.__k=
o.__k,n.__k.some(function(M){M&&(M.__=n)}),wn.push.apply(d.__h,d.__k),d.__k=[],d.__h.length&&i.push(d),l=Qe(o);break e}d.componentWillUpdate&&d.componentWillUpdate(
k,d.__s,y),b&&d.componentDidUpdate&&d.__h.push(function(){d.componentDidUpdate(p,w,S)})}else b&&!te.getDerivedStateFromProps&&d.componentWillMount&&d.componentWillMount(),
b&&d.componentDidMount&&d.__h.push(d.componentDidMount);d.context=y,d.props=k,d.__P=e,d.__g&=-5,q=G.__r,x=b?25:0;do d.__g&=-9,q&&q(n),c=d.render(d.props,d.state=
d.__s,d.context);while(8&d.__g&&++x<25);b&&(wn.push.apply(d.__h,d.__k),d.__k=[]),d.state=d.__s,d.getChildContext&&(r=lt({},r,d.getChildContext())),b&&o.__c&&d.getSnapshotBeforeUpdate&&
(S=d.getSnapshotBeforeUpdate(p,w)),I=c&&c.type===T&&c.key==null?c.props.children:c,k.__P&&(c=l,s=(e=k.__P).namespaceURI,u=a=null,o.props&&o.props.__P!=e&&(o.__k.
some(function(M){M&&no(M,M)}),o.__k=null),l=o.__k?Qe(o,0):null),l=ir(e,Zn(I)?I:[I],n,o,r,s,a,i,l,u,f),k.__P&&(n.__e=null,l=c),n.__u&=-161,m&&m.some(it),d.__h.length&&
i.push(d),1&d.__g&&(d.__g&=-4)}catch(M){if(i.length=h,n.__v=null,u||a)if(M&&M.then){if(n.__u|=128|u,a){for(~(C=a.indexOf(l||void 0))||(C=a.length);(B=a[C-1])&&B.
nodeType==8;)C--;for(;C<a.length;C++)if(B=a[C])if(a[C]=null,$){if(B==O)break}else{if(B.nodeType!=8)break;B.data.startsWith("$s")&&(O=bn($=B))}}if(!$){for(;l&&l.
nodeType==8&&l.nextSibling;)l=l.nextSibling;$=l}(c=bn($=n.__c.__z||(n.__c.__z=$)))?(n.__e=$,l=c):n.__e=l,l=l&&l.nextSibling}else a&&a.some(it);else n.__e=o.__e;
n.__k||(n.__k=o.__k||[]),M&&M.then||cr(n),G.__e(M,n,o)}}else l=n.__e=Ia(o.__e,n,o,r,s,a,i,u,f,e);return(c=G.diffed)&&c(n),l}function bn(e,n){if(e&&e.nodeType==8&&
e.data.startsWith("$s"))for(var o=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))o++;else if(e.data.startsWith("/$s")&&!--o)return e}n&&n.push(
e)}}function cr(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(cr))}function ur(e,n,o){for(var r=0;r<o.length;)to(o[r++],o[r++],o[r++]);G.__c&&G.__c(n,e),e.some(
function(s){try{e=s.__h,s.__h=[],e.some(function(a){a.call(s)})}catch(a){G.__e(a,s.__v)}})}function Ia(e,n,o,r,s,a,i,l,u,f){var c,m,h,d,p,w,S,k,b=o.props||_n,v=n.
props,y=n.type;if(y=="svg"?s="http://www.w3.org/2000/svg":y=="math"?s="http://www.w3.org/1998/Math/MathML":s||(s="http://www.w3.org/1999/xhtml"),a){for(c=0;c<a.
length;c++)if((p=a[c])&&(y?p.localName==y:p.nodeType==3)){e=p,a[c]=null;break}}if(!e){if(k=f.ownerDocument||document,!y)return k.createTextNode(v);e=k.createElementNS(
s,y,v.is?v:f),l&&(G.__m&&G.__m(n,a),l=!1),a=null}if(y){if(f=y=="template"&&e.content||e,a=y=="textarea"&&v.defaultValue!=null?null:a&&Xn.call(f.childNodes),!l&&
a)for(b={},c=0;c<e.attributes.length;c++)b[(p=e.attributes[c]).name]=p.value;for(c in b)p=b[c],c=="dangerouslySetInnerHTML"?h=p:c=="children"||c in v||c=="value"&&
"defaultValue"in v||c=="checked"&&"defaultChecked"in v||gn(e,c,null,p,s);for(c in v)p=v[c],c=="children"?d=p:c=="dangerouslySetInnerHTML"?m=p:c=="value"?w=p:c==
"checked"?S=p:l&&typeof p!="function"||b[c]===p||gn(e,c,p,b[c],s);m?(l||h&&(m.__html==h.__html||m.__html==e.innerHTML)||(e.innerHTML=m.__html),n.__k=[]):(h&&(e.
textContent=""),(y=="foreignObject"||s=="http://www.w3.org/1998/Math/MathML"&&Aa.test(y))&&(s="http://www.w3.org/1999/xhtml"),ir(f,Zn(d)?d:[d],n,o,r,s,a,i,a?a[0]:
o.__k&&Qe(o,0),l,u),a&&a.some(it)),l&&y!="textarea"||(c="value",y=="progress"&&w==null?e.removeAttribute(c):w==null||w===e[c]&&(y!="progress"||w)||gn(e,c,w,b[c],
s),c="checked",S!=null&&S!=e[c]&&gn(e,c,S,b[c],s))}else b===v||l&&e.data==v||(e.data=v);return e}function to(e,n,o,r){try{typeof e=="function"?n?n.__x=e(n)||1:r&&
(r=r.__c||r.__e)&&(n=r.__x)&&(r.__x=null,typeof n=="function"?n():e(null)):e.current=n}catch(s){G.__e(s,o)}}function no(e,n,o){var r,s,a,i;if(G.unmount&&G.unmount(
e),!(r=e.ref)||r.current&&r.current!=e.__e||to(r,null,n,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(l){G.__e(l,n)}r.__P=r.__n=null}
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&no(r[i],n,typeof e.type!="function"||o&&!e.props.__P);!o&&(r=e.__c)&&(r=r.__z)&&(s=bn(r,a=[]))&&(r==e.__e&&a.some(it),it(
s),it(r)),o||it(e.__e),e.__e=e.__c=e.__=null}function Ba(e,n,o){return this.constructor(e,o)}function dr(e,n){var o,r,s,a;G.__&&G.__(e,n),n.nodeType==9&&(n=n.documentElement),
r=(o=e&&32&e.__u)?null:n.__k,n.__k=Wt(T,{children:[e]}),s=[],a=[],eo(n,n.__k,r||_n,_n,n.namespaceURI,r?null:n.firstChild?Xn.call(n.childNodes):null,s,r?r.__e:n.
firstChild,o,a),ur(s,n.__k,a),n.__k.props.children=null}G={__e:function(e,n,o,r){for(var s,a,i;n=n.__;)if((s=n.__c)&&!(1&s.__g)){s.__g|=4;try{if((i=(a=s.constructor)&&a.getDerivedStateFromError)&&s.setState(a.getDerivedStateFromError(
e)),s.componentDidCatch&&(s.componentDidCatch(e,r||{}),i=1),i&&8&s.__g)return void(s.__g|=2)}catch(l){e=l}}throw yn=0,e}},nr=0,Yn=function(e){return e!=null&&e.
constructor===jt},Ye.prototype.setState=function(e,n){var o=this.__s;o&&o!=this.state||(o=this.__s=lt({},this.state)),typeof e=="function"&&(e=e(lt({},o),this.props)),
e&&(lt(o,e),this.__v&&(n&&this.__k.push(n),er(this)))},Ye.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),er(this))},Ye.prototype.render=
T,ze=[],yn=0,or=function(e,n){return e.__v.__b-n.__v.__b},vn=Symbol(),rr=/(PointerCapture)$|Capture$/i,Qn=0,zn={},Pa=0;var ct,pe,oo,pr,ro=Object.is,xn=0,wr=[],so=[],de=G,fr=de.__b,mr=de.__r,hr=de.diffed,gr=de.__c,vr=de.unmount,br=de.__;function Ht(e,n){de.__h&&de.__h(pe,e,xn||n),
xn=0;var o=pe.__H||(pe.__H={__:[],__h:[]});return e>=o.__.length&&o.__.push({}),o.__[e]}function g(e){return xn=1,Oa(kr,e)}function Oa(e,n,o){var r=Ht(ct++,2);if(r.
t=e,!r.__c&&(r.__=[o?o(n):kr(void 0,n),function(a){var i=(r.__N||r.__)[0],l=r.t(i,a);ro(i,l)||(r.__N=[l,r.__[1]],r.__c.setState({}))}],r.__c=pe,!pe.__f)){pe.__f=
!0;var s=pe.shouldComponentUpdate;pe.shouldComponentUpdate=function(a,i,l){var u=this.__H;if(!u)return!0;var f=!1,c=this.props!=a;if(u.__.some(function(h){h.__N&&
(f=!0,ro(h.__[0],h.__N[0])||(c=!0))}),s){var m=s.call(this,a,i,l);return f?m||c:m}return!f||c}}return r.__}function L(e,n){var o=Ht(ct++,3);!de.__s&&io(o.__H,n)&&
(o.__P=!0,o.__=e,o.u=n,pe.__H.__h.push(o))}function ut(e,n){var o=Ht(ct++,4);!de.__s&&io(o.__H,n)&&(o.__P=!1,o.__=e,o.u=n,pe.__h.push(o))}function U(e){return xn=
5,Ze(function(){return{current:e}},[])}function Ze(e,n){var o=Ht(ct++,7);return io(o.__H,n)&&(o.__=e(),o.__H=n),o.__}function dt(){var e=Ht(ct++,11);if(!e.__){for(var n=pe.__v;!n.__m&&n.__;)n=n.__;var o=n.__m||(n.__m=[0,0]);e.__="P"+o[0]+"-"+o[1]++}return e.__}function qa(){var e;
do{for(;e=so.shift();)try{Ut(e)}catch(o){de.__e(o,{__:(e=e.__P)&&e.__v})}for(;e=wr.shift();){var n=e.__H;if(e.__P&&n)try{n.__h.some(Ut),n.__h.some(ao),n.__h=[]}catch(o){
n.__h=[],de.__e(o,e.__v)}}}while(so.length)}de.__b=function(e){pe=null,fr&&fr(e)},de.__=function(e,n){e&&n.__k&&n.__k.__m&&(e.__m=n.__k.__m),br&&br(e,n)},de.__r=
function(e){mr&&mr(e),ct=0;var n=(pe=e.__c).__H;n&&(oo==pe?pe.__h=[]:(n.__h.some(Ut),n.__h.some(ao),ct=0),n.__h=[],n.__.some(function(o){o.__N&&(o.__=o.__N),o.u=
o.__N=void 0})),oo=pe},de.diffed=function(e){hr&&hr(e);var n=e.__c;n&&n.__H&&(n.__H.__h.length&&_r(wr.push(n)),n.__H.__.some(function(o){o.u&&(o.__H=o.u)})),oo=
pe=null},de.__c=function(e,n){n.some(function(o){try{o.__h.some(Ut),o.__h=o.__h.filter(function(r){return!r.__||ao(r)})}catch(r){o.__h=[function(){throw r}]}}),
gr&&gr(e,n)},de.unmount=function(e){vr&&vr(e);var n,o,r=e.__c;r&&r.__H&&(r.__H.__.some(function(s){try{if(s.__P&&s.__c){if(o===void 0){for(o=e.__;o&&(!o.__c||!o.
__c.__P);)o=o.__;o=o&&o.__c}s.__P=o,_r(so.push(s))}else Ut(s)}catch(a){n=a}}),r.__H=void 0,n&&de.__e(n,r.__v))};var yr=typeof requestAnimationFrame=="function";
function Fa(e){var n,o=function(){clearTimeout(r),yr&&cancelAnimationFrame(n),setTimeout(e)},r=setTimeout(o,35);yr&&(n=requestAnimationFrame(o))}function _r(e){
e!=1&&pr==de.requestAnimationFrame||((pr=de.requestAnimationFrame)||Fa)(qa)}function Ut(e){var n=pe,o=e.__c;typeof o=="function"&&(e.__c=void 0,o()),pe=n}function ao(e){
var n=pe;e.__c=e.__(),pe=n}function io(e,n){return!e||e.length!=n.length||n.some(function(o,r){return!ro(o,e[r])})}function kr(e,n){return typeof n=="function"?
n(e):n}var Wa=Symbol.for("preact-signals");function $n(){if(je>1)je--;else{var e,n=!1;for((function(){var s=Cn;for(Cn=void 0;s!==void 0;){var a=s.S;if(a.v===s.v)for(var i=a.
t;i!==void 0;i=i.x)i.i===s.i&&(i.i=a.i);s=s.o}})();Kt!==void 0;){var o=Kt;for(Kt=void 0,Sn++;o!==void 0;){var r=o.u;if(o.u=void 0,o.f&=-3,!(8&o.f)&&Sr(o))try{o.
c()}catch(s){n||(e=s,n=!0)}o=r}}if(Sn=0,je--,n)throw e}}function xt(e){if(je>0)return e();lo=++ja,je++;try{return e()}finally{$n()}}var Jt,ae=void 0;function Vt(e){
var n=ae,o=Jt;ae=void 0,Jt=void 0;try{return e()}finally{ae=n,Jt=o}}var Kt=void 0,je=0,Sn=0,ja=0,lo=0,Cn=void 0,Tn=0;function xr(e){if(ae!==void 0){var n=e.n;if(n===
void 0||n.t!==ae)return n={i:0,S:e,p:ae.s,n:void 0,t:ae,e:void 0,x:void 0,r:n},ae.s!==void 0&&(ae.s.n=n),ae.s=n,e.n=n,32&ae.f&&e.S(n),n;if(n.i===-1)return n.i=0,
n.n!==void 0&&(n.n.p=n.p,n.p!==void 0&&(n.p.n=n.n),n.p=ae.s,n.n=void 0,ae.s.n=n,ae.s=n),n}}function be(e,n){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=
0,this.W=n?.watched,this.Z=n?.unwatched,this.name=n?.name}be.prototype.brand=Wa;be.prototype.h=function(){return!0};be.prototype.S=function(e){var n=this,o=this.
t;o!==e&&e.e===void 0&&(e.x=o,this.t=e,o!==void 0?o.e=e:Vt(function(){var r;(r=n.W)==null||r.call(n)}))};be.prototype.U=function(e){var n=this;if(this.t!==void 0){
var o=e.e,r=e.x;o!==void 0&&(o.x=r,e.e=void 0),r!==void 0&&(r.e=o,e.x=void 0),e===this.t&&(this.t=r,r===void 0&&Vt(function(){var s;(s=n.Z)==null||s.call(n)}))}};
be.prototype.subscribe=function(e){var n=this;return Be(function(){var o=n.value;Vt(function(){return e(o)})},{name:"sub"})};be.prototype.valueOf=function(){return this.
value};be.prototype.toString=function(){return this.value+""};be.prototype.toJSON=function(){return this.value};be.prototype.peek=function(){var e=this;return Vt(
function(){return e.value})};Object.defineProperty(be.prototype,"value",{get:function(){var e=xr(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==
this.v){if(Sn>100)throw new Error("Cycle detected");(function(o){je!==0&&Sn===0&&o.l!==lo&&(o.l=lo,Cn={S:o,v:o.v,i:o.i,o:Cn})})(this),this.v=e,this.i++,Tn++,je++;
try{for(var n=this.t;n!==void 0;n=n.x)n.t.N()}finally{$n()}}}});function F(e,n){return new be(e,n)}function Sr(e){for(var n=e.s;n!==void 0;n=n.n)if(n.S.i!==n.i||
!n.S.h()||n.S.i!==n.i)return!0;return!1}function Cr(e){for(var n=e.s;n!==void 0;n=n.n){var o=n.S.n;if(o!==void 0&&(n.r=o),n.S.n=n,n.i=-1,n.n===void 0){e.s=n;break}}}
function Tr(e){for(var n=e.s,o=void 0;n!==void 0;){var r=n.p;n.i===-1?(n.S.U(n),r!==void 0&&(r.n=n.n),n.n!==void 0&&(n.n.p=r)):o=n,n.S.n=n.r,n.r!==void 0&&(n.r=
void 0),n=r}e.s=o}function pt(e,n){be.call(this,void 0,n),this.x=e,this.s=void 0,this.g=Tn-1,this.f=4}pt.prototype=new be;pt.prototype.h=function(){if(this.f&=-3,
1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===Tn))return!0;if(this.g=Tn,this.f|=1,this.i>0&&!Sr(this))return this.f&=-2,!0;var e=ae;try{Cr(this),ae=
this;var n=this.x();(16&this.f||this.v!==n||this.i===0)&&(this.v=n,this.f&=-17,this.i++)}catch(o){this.v=o,this.f|=16,this.i++}return ae=e,Tr(this),this.f&=-2,!0};
pt.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var n=this.s;n!==void 0;n=n.n)n.S.S(n)}be.prototype.S.call(this,e)};pt.prototype.U=function(e){if(this.
t!==void 0&&(be.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var n=this.s;n!==void 0;n=n.n)n.S.U(n)}};pt.prototype.N=function(){if(!(2&this.f)){this.
f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(pt.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=xr(
this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function ft(e,n){return new pt(e,n)}function $r(e){var n=e.j;if(e.j=void 0,typeof n==
"function"){je++;var o=ae;ae=void 0;try{n()}catch(r){throw e.f&=-2,e.f|=8,co(e),r}finally{ae=o,$n()}}}function co(e){for(var n=e.s;n!==void 0;n=n.n)n.S.U(n);e.x=
void 0,e.s=void 0,$r(e)}function Ua(e){if(ae!==this)throw new Error("Out-of-order effect");Tr(this),ae=e,this.f&=-2;try{8&this.f&&co(this)}finally{$n()}}function St(e,n){
this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=n?.name,Jt&&Jt.push(this)}St.prototype.c=function(){var e=this.S();try{if(8&this.f||this.
x===void 0)return;var n=this.x();typeof n=="function"&&(this.j=n)}finally{e()}};St.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=
1,this.f&=-9,$r(this),Cr(this),je++;var e=ae;return ae=this,Ua.bind(this,e)};St.prototype.N=function(){2&this.f||(this.f|=2,this.u=Kt,Kt=this)};St.prototype.d=function(){
this.f|=8,1&this.f||co(this)};St.prototype.dispose=function(){this.d()};function Be(e,n){var o=new St(e,n);try{o.c()}catch(s){throw o.d(),s}var r=o.d.bind(o);return r[Symbol.
dispose]=r,r}var uo,zt,En,Ha=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__,Er=[],Mr=[];Be(function(){uo=this.N})();function Ct(e,n){G[e]=n.bind(null,G[e]||function(){})}
function Gt(e){if(En){var n=En;En=void 0,n()}En=e&&e.S()}function Pr(e){var n=this,o=e.data,r=Tt(o);r.name="ReactiveDom",r.value=o;var s=Ze(function(){for(var l=n,
u=n.__v;u=u.__;)if(u.__c){u.__c.__$f|=4;break}var f=ft(function(){var d=r.value.value;return d===0?0:d===!0?"":d||""}),c=ft(function(){return!Array.isArray(f.value)&&
!Yn(f.value)}),m=Be(function(){if(this.N=Ar,c.value){var d=f.value;l.__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=d)}}),h=n.__$u.d;return n.__$u.d=function(){
m(),h.call(this)},[c,f]},[]),a=s[0],i=s[1];return a.value?i.peek():i.value}Pr.displayName="ReactiveTextNode";Object.defineProperties(be.prototype,{constructor:{
configurable:!0,value:kn(T,null).constructor},type:{configurable:!0,value:Pr},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.
value}}}}},__b:{configurable:!0,value:1}});Ct("__b",function(e,n){if(Gt(),zt=void 0,typeof n.type=="string"){var o,r=n.props;for(var s in r)if(s!=="children"){var a=r[s];
a instanceof be&&(o||(n.__np=o={}),o[s]=a,r[s]=a.peek())}}e(n)});Ct("__r",function(e,n){if(e(n),n.type!==T){Gt();var o,r=n.__c;r&&(r.__$f&=-2,(o=r.__$u)===void 0&&
(r.__$u=o=(function(s,a){var i;return Be(function(){i=this},{name:a}),i.c=s,i})((function(s){return function(){var a;Ha&&((a=this.y)==null||a.call(this)),s.__$f|=
1,s.setState({})}})(r),typeof n.type=="function"?n.type.displayName||n.type.name:""))),zt=r,Gt(o)}});Ct("__e",function(e,n,o,r){Gt(),zt=void 0,e(n,o,r)});Ct("di\
ffed",function(e,n){Gt(),zt=void 0;var o;if(typeof n.type=="string"&&(o=n.__e)){var r=n.__np,s=n.props,a=o.U;if(a)for(var i in a){var l=a[i];l===void 0||r&&i in
r||(l.d(),a[i]=void 0)}if(r){a||(a={},o.U=a);for(var u in r){var f=a[u],c=r[u];f===void 0?(f=Ja(o,u,c,s),a[u]=f):f.o(c,s)}}}e(n)});function Ja(e,n,o,r){var s=n in
e&&e.ownerSVGElement===void 0,a=F(o);return{o:function(i,l){a.value=i,r=l},d:Be(function(){this.N=Ar;var i=a.value.value;r[n]!==i&&(r[n]=i,s?e[n]=i:i!=null&&(i!==
!1||n[4]==="-")?e.setAttribute(n,i):e.removeAttribute(n))})}}Ct("unmount",function(e,n){if(typeof n.type=="string"){var o=n.__e;if(o){var r=o.U;if(r){o.U=void 0;
for(var s in r){var a=r[s];a&&a.d()}}}var i=n.__np;if(i){var l=n.props;for(var u in i)l[u]=i[u]}n.__np=void 0}else{var f=n.__c;if(f){f.__$f|=8;var c=f.__$u;c&&(f.
__$u=void 0,c.d())}}e(n)});Ct("__h",function(e,n,o,r){r<3&&(n.__$f|=2),e(n,o,r)});Ye.prototype.shouldComponentUpdate=function(e,n){if(this.__R)return!0;var o=this.
__$u,r=o&&o.s!==void 0;for(var s in n)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var a=2&this.__$f;if(!(r||a||4&this.__$f)||1&this.__$f)return!0}else if(!(r||
4&this.__$f)||3&this.__$f)return!0;for(var i in e)if(i!=="__source"&&e[i]!==this.props[i])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function Tt(e,n){
return Ze(function(){return F(e,n)},[])}var Ka=typeof requestAnimationFrame>"u"?setTimeout:function(e){var n=function(){clearTimeout(o),cancelAnimationFrame(r),e()},o=setTimeout(n,35),r=requestAnimationFrame(
n)},Va=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Ga(){xt(function(){for(var e;e=Er.shift();)uo.call(e)})}function za(){Er.push(this)===
1&&(G.requestAnimationFrame||Ka)(Ga)}function Ya(){xt(function(){for(var e;e=Mr.shift();)uo.call(e)})}function Ar(){Mr.push(this)===1&&(G.requestAnimationFrame||
Va)(Ya)}function Nr(e,n){var o=U(e);o.current=e;var r=zt;L(function(){return Be(function(){if(this.N=za,!(r&&8&r.__$f))return o.current()},n)},[])}var mt=F(Date.now());window.setInterval(()=>{document.hidden||(mt.value=Date.now())},1e3);var Rr=[["d",86400],["h",3600],["min",60],["s",1]];function ye(e){if(!Number.
isFinite(e))return"\u2013";if(e<1)return"0 s";let n=Math.floor(e);for(let[o,[r,s]]of Rr.entries()){if(n<s)continue;let a=Math.floor(n/s),i=Rr[o+1],l=i===void 0?
0:Math.floor(n%s/i[1]);return i===void 0||a>=10||l===0?`${a} ${r}`:`${a} ${r} ${l} ${i[0]}`}return"0 s"}function ke(e,n=mt.value){return e==null?"\u2013":ye(Math.
max(0,(n-Date.parse(e))/1e3))}function ht(e){if(e==null)return"";let n=new Date(e);return Number.isNaN(n.getTime())?e:n.toISOString().replace("T"," ").replace(/\.\d+Z$/,
" UTC")}function Dr(e){if(e==null)return"\u2013";let n=new Date(e),o=new Date(mt.value),r=i=>String(i).padStart(2,"0"),s=`${r(n.getHours())}:${r(n.getMinutes())}`;
return n.toDateString()===o.toDateString()?s:`${n.getFullYear()}-${r(n.getMonth()+1)}-${r(n.getDate())} ${s}`}var Lr=["B","KB","MB","GB","TB","PB"];function Re(e){
if(e==null)return"\u2013";let n=e,o=0;for(;n>=1e3&&o<Lr.length-1;)n/=1e3,o+=1;return`${o===0||n>=100?Math.round(n):n.toFixed(1)} ${Lr[o]}`}var Qa=new Intl.NumberFormat(
"en");function J(e){return Qa.format(e)}function $t(e,n){return n<=0?0:Math.max(0,Math.min(100,e/n*100))}function fe(e,n,o=n+"s"){return`${J(e)} ${e===1?n:o}`}var Za="1.115",po="corten.key",xe=class extends Error{constructor(o,r,s,a,i){super(r);this.status=o;this.requestId=s;this.retryAfter=a;this.body=i}status;requestId;retryAfter;body;name="\
ApiError";get passes(){return this.retryAfter!==null}},Xe=F(!1),Le=F(0);function Xa(e){return btoa(String.fromCharCode(...e)).replaceAll("+","-").replaceAll("/",
"_").replaceAll("=","")}function mo(){let e=localStorage.getItem(po);if(e!==null&&e.length===43)return e;let n=Xa(crypto.getRandomValues(new Uint8Array(32)));return localStorage.
setItem(po,n),n}function Ir(){localStorage.removeItem(po)}function ei(e={}){return{"X-OpenStack-Ironic-API-Version":Za,"X-Corten-Key":mo(),...e}}async function Et(e,n={}){
let o=n.body===void 0?null:JSON.stringify(n.body),r={Accept:"application/json",...n.headers};o!==null&&(r["Content-Type"]="application/json");let s;try{s=await fetch(
e,{method:n.method??"GET",headers:ei(r),body:o,signal:n.signal??null,credentials:"same-origin",cache:"no-store"})}catch(a){throw a instanceof DOMException&&a.name===
"AbortError"?a:new xe(0,"The service does not answer.",null,null,null)}if(!s.ok&&s.status!==304)throw await ti(s);return s}async function Y(e,n){return await(await Et(
e,n===void 0?{}:{signal:n})).json()}async function j(e,n,o){let s=await(await Et(n,o===void 0?{method:e}:{method:e,body:o})).text();return s===""?null:JSON.parse(
s)}async function ti(e){e.status===401&&(Xe.value=!0);let n=e.headers.get("x-openstack-request-id"),o=e.headers.get("x-corten-retry-after"),r=null,s="";try{s=await e.
text(),r=JSON.parse(s)}catch{}let a=fo(r)??(s.length>0&&s.length<300?s:`The service answered ${e.status}.`);return new xe(e.status,a,n,o===null?null:Number(o),r)}
function fo(e){if(typeof e!="object"||e===null)return null;let n=e,o=n.error_message??n.error??n.faultstring;if(typeof o=="string")try{return fo(JSON.parse(o))??
o}catch{return o}if(typeof o=="object")return fo(o);let r=n.message;return typeof r=="string"?r:null}var E=encodeURIComponent;var Me={enroll:{look:"ready",target:null,verbs:{manage:"verifying"}},verifying:{look:"working",target:"manageable",verbs:{}},manageable:{look:"ready",target:null,
verbs:{provide:"cleaning",inspect:"inspecting",adopt:"adopting",clean:"cleaning"}},inspecting:{look:"working",target:"manageable",verbs:{}},"inspect wait":{look:"\
waiting",target:"manageable",verbs:{abort:"inspect failed"}},"inspect failed":{look:"failed",target:"manageable",verbs:{manage:"manageable",inspect:"inspecting"}},
adopting:{look:"working",target:"active",verbs:{}},"adopt failed":{look:"failed",target:"active",verbs:{manage:"manageable",adopt:"adopting"}},available:{look:"\
ready",target:null,verbs:{manage:"manageable",deploy:"deploying"}},deploying:{look:"working",target:"active",verbs:{}},"wait call-back":{look:"waiting",target:"\
active",verbs:{delete:"deleting",abort:"deploy failed"}},"deploy failed":{look:"failed",target:"active",verbs:{deploy:"deploying",rebuild:"deploying",delete:"de\
leting"}},"deploy hold":{look:"held",target:"active",verbs:{abort:"deploy failed",unhold:"wait call-back"}},active:{look:"in_use",target:null,verbs:{rebuild:"de\
ploying",delete:"deleting",rescue:"rescuing",service:"servicing"}},deleting:{look:"working",target:"available",verbs:{clean:"cleaning"}},error:{look:"failed",target:null,
verbs:{rebuild:"deploying",delete:"deleting"}},cleaning:{look:"working",target:"available",verbs:{manage:"manageable"}},"clean wait":{look:"waiting",target:"ava\
ilable",verbs:{abort:"clean failed"}},"clean failed":{look:"failed",target:"available",verbs:{manage:"manageable"}},"clean hold":{look:"held",target:"available",
verbs:{abort:"clean failed",unhold:"clean wait"}},rescuing:{look:"working",target:"rescue",verbs:{}},"rescue wait":{look:"waiting",target:"rescue",verbs:{delete:"\
deleting",abort:"rescue failed"}},rescue:{look:"in_use",target:null,verbs:{delete:"deleting",rescue:"rescuing",unrescue:"unrescuing"}},"rescue failed":{look:"fa\
iled",target:"rescue",verbs:{delete:"deleting",rescue:"rescuing",unrescue:"unrescuing"}},unrescuing:{look:"working",target:"active",verbs:{}},"unrescue failed":{
look:"failed",target:"active",verbs:{delete:"deleting",rescue:"rescuing",unrescue:"unrescuing"}},servicing:{look:"working",target:"active",verbs:{}},"service wa\
it":{look:"waiting",target:"active",verbs:{delete:"deleting",abort:"service failed"}},"service hold":{look:"held",target:"active",verbs:{service:"servicing",abort:"\
service failed",unhold:"service wait"}},"service failed":{look:"failed",target:"active",verbs:{delete:"deleting",rescue:"rescuing",service:"servicing",abort:"ac\
tive"}}};var ni=Symbol.for("pv"),oi=0;function t(e,n,o,r,s,a){n||(n={});var i,l,u=n;if("ref"in u&&typeof e!="function")for(l in u={},n)l=="ref"?i=n[l]:u[l]=n[l];var f={type:e,props:u,key:o,ref:i,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:ni,__v:--oi,__i:-1,__u:0};return(s||a)&&(f.__source=s,f.__self=a),G.vnode&&G.vnode(f),f}var Yt=[{look:"failed",word:"failed"},{look:"working",word:"working"},{look:"waiting",word:"waiting"},{look:"held",word:"held"},{look:"ready",word:"ready"},{look:"\
in_use",word:"in use"}];function Mt(e){return Me[e]?.look??"ready"}function z({look:e}){return t("svg",{class:`mark mark-${e}`,viewBox:"0 0 12 12",width:"12",height:"\
12","aria-hidden":"true",children:[e==="ready"&&t("circle",{cx:"6",cy:"6",r:"4",fill:"none",stroke:"currentColor","stroke-width":"2"}),e==="in_use"&&t("circle",
{cx:"6",cy:"6",r:"5",fill:"currentColor"}),e==="working"&&t("path",{d:"M6 1a5 5 0 1 1-5 5",fill:"none",stroke:"currentColor","stroke-width":"2","stroke-linecap":"\
round"}),e==="waiting"&&t("path",{d:"M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6M6 3.4V6l1.8 1.4",fill:"none",stroke:"currentColor","stroke-width":"1.5","str\
oke-linecap":"round"}),e==="held"&&t("path",{d:"M3 1.5h2v9H3zM7 1.5h2v9H7z",fill:"currentColor"}),e==="failed"&&t("path",{d:"M2 2l8 8M10 2l-8 8",stroke:"current\
Color","stroke-width":"2.4","stroke-linecap":"round"})]})}function et({state:e,target:n,maintenance:o}){let r=Mt(e);return t("span",{class:`state look-${r}`,children:[
t(z,{look:r}),t("span",{class:"state-word",children:e}),n!=null&&n!==e&&t("span",{class:"state-target",children:["\u2192 ",n]}),o===!0&&t("span",{class:"chip ch\
ip-hatch",children:"maintenance"})]})}var ri={search:"M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14",plus:"M8 3v10M3 8h10",close:"M4 4l8 8M12 4l-8 \
8",chevron:"M6 3.5 10.5 8 6 12.5",copy:"M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",terminal:"M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3",warn:"M8 2 14.5 13.5h-13zM8 6.5v3.5M8 11\
.8v.2",check:"M3 8.5l3.2 3.2L13 5",more:"M3.5 8h.1M8 8h.1M12.5 8h.1",refresh:"M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",pause:"M5.5 3.5v9M10.5 3.5v9",play:"M5 3.5 12.5\
 8 5 12.5z",down:"M3.5 6 8 10.5 12.5 6",up:"M3.5 10 8 5.5 12.5 10",lock:"M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2",power:"M8 2v6M4.8 4.2a5 5 0 1 0 6.4 0",link:"\
M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-4L5 7",download:"M8 2.5v7.5M4.5 7 8 10.5 11.5 7M3 13.5h10",expand:"M2.5 6v-3.5H6M1\
0 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",sun:"M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1\
 11.9l-.7.7",moon:"M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5",key:"M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8.4 7.6 2.5 13.5M4.5 11.5l1.5 1.5"};function N({
name:e}){return t("svg",{class:"icon",viewBox:"0 0 16 16",width:"16",height:"16","aria-hidden":"true",children:t("path",{d:ri[e],fill:"none",stroke:"currentColo\
r","stroke-width":"1.6","stroke-linecap":"round","stroke-linejoin":"round"})})}var Qt=F([]),ho=F(""),si=0;function W(e){ho.value=ho.peek()===e?e+" ":e,Br({kind:"done",title:e,text:null,requestId:null})}function Z(e,n){let o=n instanceof Error?
n.message:String(n),r=n instanceof xe?n.requestId:null;Br({kind:"error",title:e,text:o,requestId:r})}function Br(e){let n=++si;Qt.value=[...Qt.peek().slice(-4),
{...e,id:n}],e.kind==="done"&&window.setTimeout(()=>Or(n),4e3)}function Or(e){Qt.value=Qt.peek().filter(n=>n.id!==e)}function qr(){return t(T,{children:[t("div",
{class:"hidden","aria-live":"polite",children:ho.value}),t("div",{class:"notices",children:Qt.value.map(e=>t("div",{class:`notice notice-${e.kind}`,role:e.kind===
"error"?"alert":void 0,children:[t(N,{name:e.kind==="error"?"warn":"check"}),t("div",{class:"notice-words",children:[t("p",{class:"notice-title",children:e.title}),
e.text!==null&&t("p",{children:e.text}),e.requestId!==null&&t("p",{class:"faint",children:["Request ",t("code",{children:e.requestId})]})]}),t("button",{type:"b\
utton",class:"icon-button","aria-label":"Dismiss",onClick:()=>Or(e.id),children:t(N,{name:"close"})})]},e.id))})]})}function _(e){let{children:n,onClick:o,why:r,kind:s="plain",type:a="button",label:i,small:l,pressed:u,busy:f}=e,c=r!=null||f===!0;return t("button",{type:a,class:`\
button button-${s}${l===!0?" button-small":""}`,"aria-disabled":c,"aria-label":i,"aria-pressed":u,"aria-expanded":e.expanded,"aria-busy":f,autofocus:e.autofocus,
title:r??i,onClick:m=>{if(c){m.preventDefault(),r!=null&&W(`Not now: ${r}.`);return}o?.()},children:n})}function Pe({at:e,ago:n=!1}){return e==null?t("span",{class:"\
faint",children:"\u2013"}):t("time",{dateTime:e,title:ht(e),children:[ke(e),n?" ago":""]})}function Ae({at:e}){return e==null?t("span",{class:"faint",children:"\
\u2013"}):t("time",{dateTime:e,title:ht(e),children:Dr(e)})}function Ce({lines:e=3}){let[n,o]=g(!1);return L(()=>{let r=window.setTimeout(()=>o(!0),150);return()=>window.
clearTimeout(r)},[]),t("div",{class:"skeleton",role:"status","aria-label":"Loading",children:n&&Array.from({length:e},(r,s)=>t("div",{class:"skeleton-line"},s))})}
function V({title:e,children:n}){return t("div",{class:"empty",children:[t("p",{class:"empty-title",children:e}),n!==void 0&&t("div",{class:"empty-text",children:n})]})}
function Te({error:e,retry:n}){return t("div",{class:"failed",role:"alert",children:[t("p",{class:"failed-words",children:[t(N,{name:"warn"})," ",e.message]}),t(
"p",{class:"faint",children:[e.status>0&&t(T,{children:["Status ",e.status,". "]}),e.requestId!==null&&t(T,{children:["Request ",t("code",{children:e.requestId}),
"."]})]}),n!==void 0&&t(_,{small:!0,onClick:n,children:"Try again"})]})}function ee({doc:e,lines:n,children:o}){let r=e.data.value,s=e.error.value;return r!==void 0?
t(T,{children:o(r)}):s!==void 0?t(Te,{error:s,retry:e.reload}):t(Ce,{lines:n??3})}function R(e){let n=dt(),o=e.level===3?"h3":"h2";return t("section",{class:`pa\
nel ${e.class??""}`,"aria-labelledby":n,children:[t("header",{class:"panel-head",children:[t(o,{id:n,class:"panel-title",children:e.title}),e.actions!==void 0&&
t("div",{class:"panel-actions",children:e.actions})]}),t("div",{class:"panel-body",children:e.children})]})}function _e({rows:e,all:n=!1}){let o=e.filter(([,r])=>n||
r!=null&&r!==""&&r!==!1);return t("dl",{class:"facts",children:o.map(([r,s])=>t("div",{class:"fact",children:[t("dt",{children:r}),t("dd",{children:s==null||s===
""?t("span",{class:"faint",children:"\u2013"}):s})]},r))})}function H(e){let n=dt();return t("div",{class:`field${e.error?" field-wrong":""}`,children:[t("label",
{for:n,children:e.label}),e.children(n,`${n}-hint`),t("div",{class:"field-hint",id:`${n}-hint`,children:e.error?t("span",{class:"wrong",children:e.error}):e.hint})]})}
function Pt({value:e,label:n}){return t("div",{class:"meter",role:"progressbar","aria-valuenow":Math.round(e),"aria-valuemin":0,"aria-valuemax":100,"aria-label":n,
children:t("div",{class:"meter-fill",style:{width:`${e}%`}})})}function At({text:e,label:n}){let[o,r]=g(!1),s=U(void 0);return L(()=>()=>window.clearTimeout(s.current),
[]),t("button",{type:"button",class:"icon-button","aria-label":n,title:n,onClick:()=>{navigator.clipboard?.writeText(e).then(()=>{r(!0),W("Copied."),s.current=window.
setTimeout(()=>r(!1),1500)},()=>W("The browser does not let this page copy."))},children:t(N,{name:o?"check":"copy"})})}var Mn=class extends Ye{state={error:null};static getDerivedStateFromError(n){return{error:n}}render(){let n=this.state.error;return n===null?this.props.children:
t("div",{class:"failed",role:"alert",children:[t("p",{class:"failed-words",children:["This screen has a defect: ",n.message]}),t(_,{small:!0,onClick:()=>this.setState(
{error:null}),children:"Show it again"})]})}};var ai=100,ii=1e3,li=15e3,ci=4e4,_o=2e3,ui=3e4,di=2e3,we=F("connecting"),en=F(Date.now()),Ne=F(0),vt=F(0),go=new Set;function Oe(e){return go.add(e),()=>go.delete(
e)}var Pn=[],Wr,gt,Xt=_o,An,Fr,vo,bo=!1,Zt=0;function pi(){Wr=void 0;let e=Pn;Pn=[];for(let n of[...go])n(e)}function fi(e){e.cursor<=Ne.value||(Ne.value=e.cursor,
Pn.push(e),Wr??=window.setTimeout(pi,ai))}function jr(){if(bo)return;bo=!0,document.addEventListener("visibilitychange",mi),An=window.setTimeout(Rt,ii);let e=Le.
value;Le.subscribe(n=>{n>e&&Nn(),e=n})}function Nt(e){!bo||gt!==void 0||Ne.value>0||we.value!=="connecting"||(Ne.value=e,window.clearTimeout(An),Rt())}function mi(){
window.clearTimeout(Fr),document.hidden?Fr=window.setTimeout(()=>{we.value="paused",tn()},li):(we.value==="paused"||we.value==="lost")&&Nn()}function tn(){window.
clearTimeout(An),window.clearTimeout(vo),gt?.abort(),gt=void 0}function Nn(){tn(),Xt=_o,Rt()}function yo(){we.value!=="paused"&&(we.value="lost",tn(),An=window.
setTimeout(Rt,Xt),Xt=Math.min(Xt*2,ui))}function Ur(){en.value=Date.now(),window.clearTimeout(vo),vo=window.setTimeout(yo,ci)}async function Rt(){let e=new AbortController;
gt=e,we.value!=="lost"&&(we.value="connecting");let n=Ne.value>0,o={Accept:"text/event-stream"};n&&(o["Last-Event-ID"]=String(Ne.value));try{let r=await Et("/co\
rten/v1/events",{headers:o,signal:e.signal}),s=we.value==="lost";we.value="live",Xt=_o,Ur(),(!n||s)&&(vt.value+=1),Zt=0,await hi(r,e,n),gt===e&&yo()}catch(r){if(gt!==
e)return;if(r instanceof xe&&r.status===410){Ne.value=0,Rt();return}if(r instanceof xe&&r.status===401){we.value="paused",tn();return}yo()}}async function hi(e,n,o){
let r=e.body?.getReader();if(r===void 0)return;let s=new TextDecoder,a="",i="",l="";for(;;){let{value:u,done:f}=await r.read();if(f||gt!==n)return;Ur(),a+=s.decode(
u,{stream:!0});let c=a.split(`
`);a=c.pop()??"";for(let m of c){let h=m.endsWith("\r")?m.slice(0,-1):m;h.startsWith("id:")?i=h.slice(3).trim():h.startsWith("data:")?l+=h.slice(5).trim():h===""&&
(l!==""?(fi(JSON.parse(l)),Zt+=1):i!==""&&Number(i)>Ne.value&&(Ne.value=Number(i)),i=l="")}if(o&&Zt>di){Pn=[],Ne.value=0,tn(),Rt();return}o&&Zt>0&&window.setTimeout(
()=>Zt=0,1e3)}}var Rn="/ui",Ln=F(wo());function wo(){return{path:(location.pathname.startsWith(Rn)?location.pathname.slice(Rn.length):"/").split("/").filter(n=>n!=="").map(gi),
query:new URLSearchParams(location.search)}}function gi(e){try{return decodeURIComponent(e)}catch{return e}}addEventListener("popstate",()=>{Ln.value=wo()});var qe=ft(
()=>Ln.value.path),le=ft(()=>Ln.value.query);function P(e,n={}){let o=new URLSearchParams;for(let[a,i]of Object.entries(n))i!=null&&i!==""&&o.set(a,i);let r=o.toString(),
s=e.map(encodeURIComponent).join("/");return`${Rn}/${s}${r===""?"":"?"+r}`}function ge(e,n=!1){e!==location.pathname+location.search&&(xt(()=>{n?history.replaceState(
null,"",e):history.pushState(null,"",e),Ln.value=wo()}),n||scrollTo(0,0))}function X(e,n=!1){let o=new URLSearchParams(location.search);for(let[s,a]of Object.entries(
e))a===null||a===""?o.delete(s):o.set(s,a);let r=o.toString();ge(location.pathname+(r===""?"":"?"+r),n)}function ko(e){if(e.defaultPrevented||e.button!==0||e.metaKey||
e.ctrlKey||e.shiftKey||e.altKey)return;let n=e.target instanceof Element?e.target.closest("a"):null,o=n?.getAttribute("href");n===null||o===null||o===void 0||!o.
startsWith(Rn+"/")||n.target!==""||n.hasAttribute("download")||(e.preventDefault(),ge(o))}function Se(e){return e instanceof xe?e:new xe(0,e instanceof Error?e.message:String(e),null,null,null)}function D(e,n={}){let o=Ze(()=>{let u=F(void 0),f=F(void 0),
c=F(!0);return{data:u,error:f,loading:c}},[]),r=Tt(e),s=Tt(0);r.peek()!==e&&(r.value=e,n.keep!==!0&&(o.data.value=void 0),o.error.value=void 0,o.loading.value=e!==
null),Nr(()=>{s.value,vt.value,Le.value;let u=r.value;if(u===null){o.loading.value=!1;return}let f=new AbortController;return Y(u,f.signal).then(c=>{o.data.value=
c;let m=c?.cursor;typeof m=="number"&&Nt(m),o.error.value=void 0,o.loading.value=!1},c=>{f.signal.aborted||(o.error.value=Se(c),o.loading.value=!1)}),()=>f.abort()});
let{every:a,on:i,atMost:l=500}=n;return L(()=>{if(a===void 0)return;let u=window.setInterval(()=>{!document.hidden&&we.peek()!=="lost"&&(s.value+=1)},a);return()=>window.
clearInterval(u)},[a]),L(()=>{if(i===void 0)return;let u,f=0,c=Oe(m=>{if(u!==void 0||!m.some(i))return;let h=Math.max(0,f+l-Date.now());u=window.setTimeout(()=>{
u=void 0,f=Date.now(),s.value+=1},h)});return()=>{c(),window.clearTimeout(u)}},[e,l,i===void 0]),{...o,reload:()=>{s.value+=1}}}function re({title:e,onClose:n,children:o,foot:r,wide:s,class:a}){let i=dt(),l=U(null),u=U(!1);return ut(()=>{let f=l.current,c=document.activeElement;return f!==
null&&!f.open&&f.showModal(),()=>{u.current=!0,f?.close(),c instanceof HTMLElement&&c.isConnected&&c.focus()}},[]),t("dialog",{ref:l,class:`dialog${s===!0?" dia\
log-wide":""} ${a??""}`,"aria-labelledby":i,onCancel:f=>{f.preventDefault(),n()},onClose:()=>{u.current||(n(),requestAnimationFrame(()=>{let f=l.current;!u.current&&
f!==null&&!f.open&&f.showModal()}))},onClick:f=>{f.target===l.current&&n()},children:t("div",{class:"dialog-inside",children:[t("header",{class:"dialog-head",children:[
t("h2",{id:i,children:e}),t(_,{kind:"quiet",small:!0,label:"Close",onClick:n,children:"\u2715"})]}),t("div",{class:"dialog-body",children:o}),r!==void 0&&t("foo\
ter",{class:"dialog-foot",children:r})]})})}function nt(e){let[n,o]=g(""),r=n.trim()===e.word;return t(re,{title:e.title,onClose:e.onClose,foot:t(T,{children:[t(
_,{onClick:e.onClose,children:"Cancel"}),t(_,{kind:"danger",why:r?null:`type ${e.word} first`,onClick:e.onYes,children:e.action})]}),children:[t("div",{children:e.
text}),e.children,t("form",{onSubmit:s=>{s.preventDefault(),r&&e.onYes()},children:t(H,{label:`Type ${e.word} to go on`,children:s=>t("input",{id:s,class:"input",
autofocus:!0,autocomplete:"off",spellcheck:!1,value:n,onInput:a=>o(a.currentTarget.value)})})})]})}function vi({commands:e,onClose:n}){return t(re,{title:"The s\
ame by command",onClose:n,children:[t(tt,{label:"corten",text:e.corten}),t(tt,{label:"curl",text:e.curl})]})}function tt({label:e,text:n}){return t("div",{class:"\
command",children:[t("span",{class:"command-label",children:e}),t("code",{class:"command-text",tabIndex:0,children:n}),t(At,{text:n,label:`Copy the ${e} command`})]})}
function ve({commands:e}){let[n,o]=g(!1);return t(T,{children:[t(_,{kind:"quiet",small:!0,onClick:()=>o(!0),children:"Show command"}),n&&t(vi,{commands:e,onClose:()=>o(
!1)})]})}var me=F(void 0);async function Dn(){try{me.value=await Y("/corten/v1/me"),Xe.value=!1}catch{}}async function Hr(e){await j("POST","/corten/v1/session",e),await Dn(),
Xe.value=!1,Le.value+=1,Vr("in")}async function Jr(){await j("DELETE","/corten/v1/session"),Ir(),me.value=void 0,Xe.value=!0,Vr("out")}function In(e){return e===
void 0?"":e.user_name??e.user??(e.mode==="noauth"?"everybody":"signed in")}var Kr=new BroadcastChannel("corten.session");function Vr(e){Kr.postMessage(e)}Kr.onmessage=
e=>{e.data==="out"?(me.value=void 0,Xe.value=!0):Dn().then(()=>Le.value+=1)};var ot=[{verb:"manage",label:"Manage",target:"manage",command:"manage",about:"check that its BMC can be controlled"},{verb:"provide",label:"Provide",target:"pro\
vide",command:"provide",about:"clean it and offer it for use"},{verb:"inspect",label:"Inspect",target:"inspect",command:"inspect",about:"find out what hardware \
it has"},{verb:"adopt",label:"Adopt",target:"adopt",command:"adopt",about:"take it over as it is, in use",asks:!0},{verb:"deploy",label:"Deploy",target:"active",
command:"deploy",about:"write an image and boot it",asks:!0},{verb:"rebuild",label:"Rebuild",target:"rebuild",command:"rebuild",about:"write the image again",asks:!0,
destroys:!0},{verb:"delete",label:"Undeploy",target:"deleted",command:"undeploy",about:"take it back and clean it",destroys:!0},{verb:"clean",label:"Clean",target:"\
clean",command:"clean",about:"run clean steps",asks:!0,destroys:!0},{verb:"rescue",label:"Rescue",target:"rescue",command:"rescue",about:"boot a rescue system",
asks:!0},{verb:"unrescue",label:"Unrescue",target:"unrescue",command:"unrescue",about:"boot its own system again"},{verb:"service",label:"Service",target:"servi\
ce",command:"service",about:"run service steps while in use",asks:!0},{verb:"abort",label:"Abort",target:"abort",command:"abort",about:"stop at the end of this \
step"},{verb:"unhold",label:"Go on",target:"unhold",command:"unhold",about:"go on after the hold"}],Gr=[{label:"Power on",target:"power on",command:"power on"},
{label:"Power off",target:"power off",command:"power off",destroys:!0},{label:"Reboot",target:"rebooting",command:"reboot",destroys:!0},{label:"Soft power off",
target:"soft power off",command:"power off --soft"},{label:"Soft reboot",target:"soft rebooting",command:"reboot --soft"}],bi=["deploy","rebuild","rescue","prov\
ide","clean","service"],yi=["rebuild","delete"],$e={provision:"baremetal:node:set_provision_state",power:"baremetal:node:set_power_state",maintain:"baremetal:no\
de:set_maintenance",resume:"baremetal:node:clear_maintenance",update:"baremetal:node:update",create:"baremetal:node:create",remove:"baremetal:node:delete",console:"\
baremetal:node:get_console",switchConsole:"baremetal:node:set_console_state"};function se(e,n){return e===void 0||e.is_open||e.rules.some(o=>o===n||o===`${n}:se\
lf_owned_node`)?null:`you lack the rule ${n}`}function Lt(e,n,o){let r=se(o,$e.provision);return r!==null?r:Me[e.provision_state]?.verbs[n.verb]===void 0?`not f\
rom ${e.provision_state}`:e.maintenance&&bi.includes(n.verb)?"it is in maintenance":e.protected&&yi.includes(n.verb)?"it is protected":e.reservation!==null&&n.verb!==
"abort"?`${e.reservation} works on it`:null}var xo={enroll:"manage",manageable:"provide",available:"deploy",rescue:"unrescue","deploy failed":"deploy","clean fa\
iled":"manage","inspect failed":"inspect","adopt failed":"adopt","rescue failed":"rescue","unrescue failed":"unrescue","deploy hold":"unhold","clean hold":"unho\
ld","service hold":"unhold"};function zr(e){return ot.filter(o=>_i(e,o.verb)).sort((o,r)=>+(r.verb===xo[e])-+(o.verb===xo[e]))}function Yr(e,n){return xo[e]===n}
function _i(e,n){return Me[e]?.verbs[n]!==void 0}function he(e){return/^[\w@%+=:,./-]+$/.test(e)?e:`'${e.replaceAll("'","'\\''")}'`}function ce(e,n,o){let r=["c\
url","-X",e,he(location.origin+n),"-H",he("X-OpenStack-Ironic-API-Version: 1.115")];return o!==void 0&&r.push("-H",he("Content-Type: application/json"),"-d",he(
JSON.stringify(o))),r.join(" ")}function Qr(){let[e,n]=g(void 0),o=D("/v1/allocations",{every:e}),s=(o.data.value?.allocations??[]).some(f=>f.state==="allocating");s!==(e!==void 0)&&n(s?5e3:void 0);
let[a,i]=g(!1),[l,u]=g(null);return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Allocations"}),t("span",{class:"spri\
ng"}),t(ve,{commands:{corten:"corten allocation list",curl:ce("GET","/v1/allocations")}}),t(_,{kind:"main",why:se(me.value,"baremetal:allocation:create"),onClick:()=>i(
!0),children:[t(N,{name:"plus"})," Allocate"]})]}),t(ee,{doc:o,lines:6,children:f=>f.allocations.length===0?t(V,{title:"No allocations",children:t("p",{children:"\
An allocation asks for any free machine with a resource class and traits, and reserves it."})}):t("div",{class:"panel scroll-x",children:t("table",{class:"table",
children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",children:"wants"}),
t("th",{scope:"col",children:"node"}),t("th",{scope:"col",children:"age"}),t("th",{scope:"col"})]})}),t("tbody",{children:f.allocations.map(c=>t("tr",{children:[
t("th",{scope:"row",children:c.name??c.uuid.slice(0,8)}),t("td",{children:[t("span",{class:"state",children:[t(z,{look:c.state==="active"?"in_use":c.state==="er\
ror"?"failed":"working"})," ",c.state]}),c.last_error!==null&&t("p",{class:"wrong wrap",children:c.last_error})]}),t("td",{children:[c.resource_class," ",c.traits.
map(m=>t("span",{class:"chip",children:m},m))]}),t("td",{children:c.node_uuid===null?t("span",{class:"faint",children:"\u2013"}):t("a",{href:P(["nodes",c.node_uuid]),
children:c.node_uuid.slice(0,8)})}),t("td",{children:t(Pe,{at:c.created_at})}),t("td",{children:t(_,{small:!0,kind:"quiet",label:`Delete ${c.name??c.uuid}`,why:se(
me.value,"baremetal:allocation:delete"),onClick:()=>u(c),children:"Delete"})})]},c.uuid))})]})})}),a&&t(wi,{onClose:()=>i(!1),onDone:()=>{i(!1),o.reload()}}),l!==
null&&t(nt,{title:`Delete allocation ${l.name??l.uuid}`,text:t("p",{children:"The machine is free again, if it is not deployed."}),word:l.name??l.uuid.slice(0,8),
action:"Delete",onClose:()=>u(null),onYes:()=>{j("DELETE",`/v1/allocations/${E(l.uuid)}`).then(()=>{u(null),W("The allocation is deleted."),o.reload()},f=>Z("It\
 could not be deleted",f))}})]})}function wi({onClose:e,onDone:n}){let[o,r]=g(""),[s,a]=g(""),[i,l]=g(""),[u,f]=g(""),c=h=>h.split(/[\s,]+/).filter(d=>d!==""),m=async()=>{
try{let h={resource_class:s,...o===""?{}:{name:o},...c(i).length===0?{}:{traits:c(i)},...c(u).length===0?{}:{candidate_nodes:c(u)}};await j("POST","/v1/allocati\
ons",h),W("A machine is being looked for."),n()}catch(h){Z("The allocation was refused",h)}};return t(re,{title:"Allocate a machine",onClose:e,foot:t(T,{children:[
t(_,{onClick:e,children:"Cancel"}),t(_,{kind:"main",why:s===""?"a resource class is missing":null,onClick:()=>{m()},children:"Allocate"})]}),children:t("form",{
class:"form",onSubmit:h=>{h.preventDefault(),s!==""&&m()},children:[t(H,{label:"Resource class",children:h=>t("input",{id:h,class:"input",autofocus:!0,value:s,onInput:d=>a(
d.currentTarget.value.trim())})}),t(H,{label:"Name",hint:"Optional.",children:h=>t("input",{id:h,class:"input",value:o,onInput:d=>r(d.currentTarget.value.trim())})}),
t(H,{label:"Traits",hint:"All of them are needed; separated by spaces.",children:h=>t("input",{id:h,class:"input",value:i,onInput:d=>l(d.currentTarget.value)})}),
t(H,{label:"Candidates",hint:"Names or UUIDs; empty for all machines.",children:h=>t("input",{id:h,class:"input",value:u,onInput:d=>f(d.currentTarget.value)})}),
t("button",{type:"submit",hidden:!0})]})})}function ki(e){let n=[],o=-1,r=!1;for(let s=0;s<=e.length;s+=1){let a=e[s];a==='"'&&(r=!r);let i=a===void 0||!r&&/\s/.test(a);i&&o>=0?(n.push({start:o,end:s,text:e.
slice(o,s)}),o=-1):!i&&o<0&&(o=s)}return n}var Bn={state:{about:"provision state or its class",values:["failed","working","waiting","held","ready","in_use",...Object.
keys(Me)]},name:{about:"name, with * at either end"},class:{about:"resource class",by:"resource_class"},driver:{about:"hardware type",by:"driver"},conductor:{about:"\
who looks after it",by:"conductor"},group:{about:"conductor group",by:"conductor_group"},chassis:{about:"chassis",by:"chassis"},shard:{about:"shard",by:"shard"},
owner:{about:"owning project",by:"owner"},lessee:{about:"leasing project",by:"lessee"},power:{about:"power state",by:"power"},trait:{about:"trait",by:"trait"},maint:{
about:"in maintenance",values:["yes","no"]},retired:{about:"retired",values:["yes","no"]},protected:{about:"protected",values:["yes","no"]},fault:{about:"fault \
the service found"},error:{about:"words of the last error"},cause:{about:"cause of a failure"},instance:{about:"UUID of the instance"},mac:{about:"MAC address o\
f a port"},bmc:{about:"address of the BMC"},uuid:{about:"UUID"},"age>":{about:"longer in its state than 30m, 2h, 1d"},"age<":{about:"shorter in its state than"}};
function So(e){return e===""||/[\s",:]/.test(e)?`"${e.replaceAll('"',"")}"`:e}function On(e,n){let o=ki(e).find(u=>n>=u.start&&n<=u.end)??{start:n,end:n,text:""},
r=o.text.startsWith("-")?"-":"",s=o.text.slice(r.length),a=s.indexOf(":");if(a<0)return{word:o,minus:r,key:null,typed:s,before:""};let i=s.slice(a+1),l=i.lastIndexOf(
",");return{word:o,minus:r,key:s.slice(0,a),typed:i.slice(l+1).replaceAll('"',""),before:i.slice(0,l+1)}}function Zr(e,n,o){let{minus:r,key:s,typed:a,before:i}=On(
e,n),l=a.toLowerCase();return s===null?Object.entries(Bn).filter(([m])=>m.startsWith(l)).map(([m,{about:h}])=>({insert:m.startsWith("age")?m:`${r}${m}:`,label:m.
startsWith("age")?m:`${m}:`,about:h,done:!1})):(Bn[s]?.values?.map(c=>({name:c,about:""}))??o.map(({name:c,total:m})=>({name:c??"",about:String(m)}))).filter(({
name:c})=>c.toLowerCase().includes(l)).slice(0,12).map(({name:c,about:m})=>({insert:`${r}${s}:${i}${So(c)}`,label:c===""?"(none)":c,about:m,done:!0}))}function Xr(e,n,o){
let{word:r}=On(e,n),s=e.slice(r.end),a=o.done&&!s.startsWith(" ")?o.insert+" ":o.insert;return{query:e.slice(0,r.start)+a+s,caret:r.start+a.length}}function es(){let e=D("/corten/v1/status",{every:5e3});return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Conductors"}),
t("span",{class:"spring"}),t(ve,{commands:{corten:"corten status",curl:ce("GET","/corten/v1/status")}})]}),t(ee,{doc:e,lines:8,children:n=>t(T,{children:[t(xi,{
status:n}),t("div",{class:"cards",children:n.conductors.map(o=>t(Si,{one:o},o.host))}),t(Ci,{status:n}),t("div",{class:"cards",children:[t(R,{title:"Leases",level:3,
children:[t("div",{class:"figures",children:[t(Ue,{value:J(n.leases.count),label:"held"}),t(Ue,{value:J(n.leases.orphaned),label:"without an owner"})]}),n.leases.
quietest!==null&&t("p",{class:"faint",children:["The quietest is ",t("a",{href:P(["nodes",n.leases.quietest.name??n.leases.quietest.node]),children:n.leases.quietest.
name??n.leases.quietest.node}),", ",ye(n.leases.quietest.quiet_s)," without a word."]})]}),t(R,{title:"Database",level:3,children:t(_e,{rows:[["Engine",n.database.
engine],["Answers within",n.database.latency_s===null?null:`${(n.database.latency_s*1e3).toFixed(1)} ms`],["Size",n.database.size_bytes===null?null:Re(n.database.
size_bytes)],["Place",t("code",{children:n.database.location})],["Error",n.database.error]]})}),t(R,{title:"Webhooks",level:3,children:t("div",{class:"figures",
children:[t(Ue,{value:J(n.webhooks.count),label:"in all"}),t(Ue,{value:J(n.webhooks.failing),label:"failing"}),t(Ue,{value:J(n.webhooks.dead_letters),label:"dea\
d letters"})]})})]})]})})]})}function Ue({value:e,label:n}){return t("div",{class:"figure",children:[t("strong",{children:e}),t("span",{children:n})]})}function xi({
status:e}){return e.problems.length===0?t("div",{class:"all-well",children:[t(N,{name:"check"}),t("div",{children:[t("p",{class:"all-well-title",children:"The s\
ervice is well"}),t("p",{class:"faint",children:[e.process.host," speaks, ",e.process.role,", version ",e.process.version,"."]})]})]}):t(R,{title:"Problems",class:"\
problems",children:t("ul",{class:"causes",children:e.problems.map(n=>t("li",{class:"cause",children:[t("span",{class:`cause-count${n.severity==="error"?"":" cau\
se-warn"}`,children:t(N,{name:"warn"})}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:n.text}),t("p",{class:"cause-advice",children:n.
advice})]})]},n.code))})})}function Si({one:e}){let[n,o]=g(!1),r=e.state==="alive",s=(e.passes??[]).filter(a=>a.lag_s>Math.max(5,a.interval_s/2));return t(R,{level:3,
title:t(T,{children:[t(z,{look:r?"in_use":"failed"})," ",e.host]}),actions:t("a",{class:"button button-quiet button-small",href:P(["nodes"],{q:`conductor:${So(e.
host)}`}),children:"Its nodes"}),children:[t("div",{class:"figures",children:[t(Ue,{value:J(e.nodes),label:"nodes"}),t(Ue,{value:e.workers===null?"\u2013":`${e.
workers_busy??0} of ${e.workers}`,label:"workers busy"}),t(Ue,{value:J(e.leases),label:"leases"}),t(Ue,{value:e.uptime_s===null?"\u2013":ye(e.uptime_s),label:"u\
p"})]}),t(_e,{rows:[["State",r?e.may_act===!1?"alive, but may not act":"alive":`${e.state}, silent for ${ye(e.last_seen_s)}`],["Group",e.group],["Version",e.version],
["Drivers",e.drivers.join(", ")],["Error",e.error===null?null:t("span",{class:"wrong",children:e.error})]]}),s.length>0&&t("p",{class:"wrong",children:[t(N,{name:"\
warn"})," late: ",s.map(a=>`${a.name} by ${ye(a.lag_s)}`).join(", ")]}),e.passes!==null&&t(_,{small:!0,kind:"quiet",expanded:n,onClick:()=>o(!n),children:n?"Hid\
e passes":`${e.passes.length} periodic passes`}),n&&e.passes!==null&&t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t(
"tr",{children:[t("th",{scope:"col",children:"pass"}),t("th",{scope:"col",class:"num",children:"every"}),t("th",{scope:"col",class:"num",children:"late by"}),t(
"th",{scope:"col",class:"num",children:"took"}),t("th",{scope:"col",class:"num",children:"visited"}),t("th",{scope:"col",class:"num",children:"failed"}),t("th",
{scope:"col",children:"last"})]})}),t("tbody",{children:e.passes.map(a=>t("tr",{children:[t("th",{scope:"row",children:a.name.replaceAll("_"," ")}),t("td",{class:"\
num",children:ye(a.interval_s)}),t("td",{class:"num",children:a.lag_s<1?"":ye(a.lag_s)}),t("td",{class:"num",children:a.rounds===0?"":`${a.last_duration_s.toFixed(
2)} s`}),t("td",{class:"num",children:a.rounds===0?"":J(a.last_visited)}),t("td",{class:`num${a.last_failed>0?" wrong":""}`,children:a.last_failed===0?"":J(a.last_failed)}),
t("td",{children:a.is_running?"now":a.last_began===null?"not yet":`${ke(a.last_began)} ago`})]},a.name))})]})})]})}function Ci({status:e}){return e.ring.length===
0?null:t(R,{title:"Who looks after what",level:3,children:t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"driver"}),t("th",{scope:"col",children:"group"}),t("th",{scope:"col",class:"num",children:"nodes"}),t("th",{scope:"col",children:"\
shares"})]})}),t("tbody",{children:e.ring.map(n=>t("tr",{children:[t("th",{scope:"row",children:n.driver}),t("td",{children:n.group===""?t("span",{class:"faint",
children:"default"}):n.group}),t("td",{class:"num",children:J(n.nodes)}),t("td",{children:n.shares.map(o=>`${o.host} ${Math.round(o.share*100)} %`).join(", ")})]},
n.group+n.driver))})]})})})}var Ti=1e4;async function qn(e,n){let o=Date.now()+Ti;for(;;)try{return await e()}catch(r){if(!(r instanceof xe&&r.status===409&&r.passes)||Date.now()>o)throw r;
n?.(r),await new Promise(a=>window.setTimeout(a,Math.min(1e3,(r.retryAfter??1)*1e3)))}}function Ie(e,n,o){return qn(()=>j("PUT",`/v1/nodes/${E(e)}/states/provis\
ion`,n),o)}function nn(e,n,o){return qn(()=>j("PUT",`/v1/nodes/${E(e)}/states/power`,{target:n}),o)}function on(e,n,o){let r=`/v1/nodes/${E(e)}/maintenance`;return qn(
()=>n?j("PUT",r,{reason:o}):j("DELETE",r))}function Dt(e,n){return qn(()=>j("PATCH",`/v1/nodes/${E(e)}`,n))}var bt=["name","driver","address","username","password","mac","class"],ts={host:"name",hostname:"name",node:"name",server:"name",type:"driver",hardware_type:"dr\
iver",bmc:"address",bmc_address:"address",ip:"address",redfish_address:"address",ipmi_address:"address",user:"username",login:"username",redfish_username:"usern\
ame",ipmi_username:"username",pass:"password",redfish_password:"password",ipmi_password:"password",macs:"mac",mac_address:"mac",port:"mac",resource_class:"class"};
function $i(e,n){let o=[],r=[],s="",a=!1;for(let i=0;i<e.length;i+=1){let l=e[i]??"";a?l==='"'&&e[i+1]==='"'?(s+='"',i+=1):l==='"'?a=!1:s+=l:l==='"'&&s===""?a=!0:
l===n?(r.push(s.trim()),s=""):l===`
`||l==="\r"?(l==="\r"&&e[i+1]===`
`&&(i+=1),r.push(s.trim()),s="",r.some(u=>u!=="")&&o.push(r),r=[]):s+=l}return r.push(s.trim()),r.some(i=>i!=="")&&o.push(r),o}function ns(){return{name:"",driver:"",
address:"",username:"",password:"",mac:"",class:"",extra:{}}}function Co(e,n,o){let r=n.trim().toLowerCase(),s=bt.includes(r)?r:ts[r];s!==void 0?e[s]=o:r.startsWith(
"extra.")&&o!==""&&(e.extra[n.trim().slice(6)]=o)}function os(e){let n=e.trim();if(n==="")return{machines:[],unknown:[],error:null};if(n.startsWith("[")||n.startsWith(
"{"))return Ei(n);let o=n.split(/\r?\n/,1)[0]??"",r=o.includes("	")?"	":o.includes(";")&&!o.includes(",")?";":",",[s,...a]=$i(n,r);if(s===void 0)return{machines:[],
unknown:[],error:null};let i=u=>bt.includes(u.toLowerCase())||u.toLowerCase()in ts||u.toLowerCase().startsWith("extra.");return s.some(i)?{machines:a.map(u=>{let f=ns();
for(let[c,m]of s.entries())Co(f,m,u[c]??"");return f}),unknown:s.filter(u=>u!==""&&!i(u)),error:null}:{machines:[],unknown:[],error:`The first line has to name \
the columns: ${bt.join(", ")}, extra.\u2026`}}function Ei(e){try{let n=JSON.parse(e);return{machines:(Array.isArray(n)?n:n.nodes??[n]).map(s=>{let a=ns();for(let[
i,l]of Object.entries(s))if(i==="extra"&&typeof l=="object"&&l!==null)for(let[u,f]of Object.entries(l))a.extra[u]=String(f);else Array.isArray(l)?Co(a,i,l.join(
" ")):l!==null&&typeof l!="object"&&Co(a,i,String(l));return a}),unknown:[],error:null}}catch(n){return{machines:[],unknown:[],error:n instanceof Error?n.message:
String(n)}}}var Mi=/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i,Pi=/^[A-Za-z0-9][A-Za-z0-9._~-]*$/;function yt(e){return e.split(/[\s,;]+/).filter(n=>n!=="")}function rs(e,n,o){
let r=new Map,s=new Map;for(let a of e){r.set(a.name,(r.get(a.name)??0)+1);for(let i of yt(a.mac))s.set(i.toLowerCase(),(s.get(i.toLowerCase())??0)+1)}return e.
map(a=>{let i={};a.name!==""&&!Pi.test(a.name)?i.name="not a valid name":a.name!==""&&(r.get(a.name)??0)>1?i.name="twice in this list":o.has(a.name)&&(i.name="t\
here is a node of this name"),a.driver===""?i.driver="missing":n.length>0&&!n.includes(a.driver)&&(i.driver=`not one of ${n.join(", ")}`),a.driver!=="fake-hardw\
are"&&a.address===""?i.address="missing":/\s/.test(a.address)&&(i.address="has a space");for(let l of yt(a.mac))Mi.test(l)?(s.get(l.toLowerCase())??0)>1&&(i.mac=
"twice in this list"):i.mac=`${l} is no MAC address`;return i})}function ss(e){let n={},o=e.driver==="ipmi"?"ipmi":"redfish";return e.driver!=="fake-hardware"&&
(e.address!==""&&(n[`${o}_address`]=e.address),e.username!==""&&(n[`${o}_username`]=e.username),e.password!==""&&(n[`${o}_password`]=e.password)),{driver:e.driver,
...e.name===""?{}:{name:e.name},...e.class===""?{}:{resource_class:e.class},driver_info:n,...Object.keys(e.extra).length===0?{}:{extra:e.extra}}}var Ai=8,To=200;function as({drivers:e,why:n}){let[o,r]=g(""),[s,a]=g([]),[i,l]=g([]),[u,f]=g(null),[c,m]=g(new Set),[h,d]=g(!0),[p,w]=g(!1),S=C=>{r(C);let B=os(
C);f(B.error),l(B.unknown),a(B.machines.map(te=>({machine:te,fate:"new",words:null})))},k=s.filter(C=>C.fate!=="done").map(C=>C.machine.name).filter(C=>C!==""),
b=k.join(" ");L(()=>{if(b==="")return;let C=window.setTimeout(()=>is(k).then(m,()=>{}),400);return()=>window.clearTimeout(C)},[b]);let v=s.filter(C=>C.fate!=="d\
one"),y=rs(v.map(C=>C.machine),e,c),q=y.filter(C=>Object.keys(C).length>0).length,x=s.length-v.length,I=(C,B,te)=>{a(s.map(M=>M===C?{...M,machine:{...M.machine,
[B]:te}}:M))},$=async()=>{w(!0);let C=[...v],B=new Map,te=()=>a(s.map(ne=>B.get(ne)??ne)),M=async()=>{for(let ne=C.shift();ne!==void 0;ne=C.shift())B.set(ne,{...ne,
fate:"asked",words:null}),te(),B.set(ne,await Ni(ne,h)),te()};await Promise.all(Array.from({length:Ai},M));let K=[...B.values()].filter(ne=>ne.fate==="failed").
length;W(K===0?`${fe(B.size,"machine")} enrolled.`:`${fe(K,"machine")} could not be enrolled.`),w(!1)},O=n??(v.length===0?"there is nothing to enrol":q>0?`${fe(
q,"row")} to be corrected`:null);return t(T,{children:[t(R,{title:"Paste a table",level:3,children:t(H,{label:"CSV with a header, or JSON",error:u,hint:i.length>
0?`Left out: ${i.join(", ")}.`:`Columns: ${bt.join(", ")}, extra.\u2026`,children:(C,B)=>t("textarea",{id:C,class:"area","aria-describedby":B,spellcheck:!1,autofocus:!0,
placeholder:`name,driver,address,username,password,mac,class
web-01,redfish,10.0.0.11,admin,\u2026,52:54:00:12:34:56,web`,value:o,onInput:te=>S(te.currentTarget.value)})})}),s.length>0&&t(R,{level:3,title:fe(s.length,"mac\
hine"),actions:t(T,{children:[t("span",{role:"status",class:q>0?"wrong":"faint",children:[x>0&&`${x} enrolled. `,q>0?`${fe(q,"row")} to be corrected.`:v.length>
0?"All rows are well formed.":""]}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:h,onChange:C=>d(C.currentTarget.checked)})," veri\
fy each"]}),t(_,{kind:"main",why:O,busy:p,onClick:()=>{$()},children:["Enrol ",v.length>0?v.length:""]})]}),children:t("div",{class:"scroll-x scroll-y",tabIndex:0,
role:"region","aria-label":"Machines to enrol",children:[t("table",{class:"table csv-table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col"}),
bt.map(C=>t("th",{scope:"col",children:C},C)),t("th",{scope:"col",children:"what is wrong"})]})}),t("tbody",{children:s.slice(0,To).map((C,B)=>{let te=C.fate===
"done"?{}:y[v.indexOf(C)]??{};return t("tr",{children:[t("td",{children:t(z,{look:C.fate==="done"?"in_use":C.fate==="failed"?"failed":C.fate==="asked"?"working":
"ready"})}),bt.map(M=>t("td",{class:te[M]===void 0?"":"cell-wrong",children:C.fate==="done"&&M==="name"?t("a",{href:P(["nodes",C.machine.name]),children:C.machine.
name}):t("input",{"aria-label":`${M} of row ${B+1}`,type:M==="password"?"password":"text",autocomplete:"off",disabled:C.fate==="done"||p,value:C.machine[M],onInput:K=>I(
C,M,K.currentTarget.value)})},M)),t("td",{class:"wrong",children:[Object.entries(te).map(([M,K])=>`${M}: ${K}`).join("; "),C.words!==null&&t(T,{children:[t(N,{name:"\
warn"})," ",C.words]})]})]},B)})})]}),s.length>To&&t("p",{class:"faint",children:[s.length-To," more rows are checked and enrolled, but not drawn."]})]})})]})}async function Ni(e,n){
let o=s=>s instanceof Error?s.message:String(s),r;try{r=await j("POST","/v1/nodes",ss(e.machine))}catch(s){return{...e,fate:"failed",words:o(s)}}if(r===null)return{
...e,fate:"failed",words:"the service gave no answer"};try{for(let s of yt(e.machine.mac))await j("POST","/v1/ports",{node_uuid:r.uuid,address:s})}catch(s){return await j(
"DELETE",`/v1/nodes/${E(r.uuid)}`).catch(()=>{}),{...e,fate:"failed",words:o(s)}}if(n)try{await Ie(r.uuid,{target:"manage"})}catch(s){return{...e,fate:"done",words:o(
s)}}return{...e,fate:"done",words:null}}function ls(){let e=le.value.get("as")==="many",n=D("/v1/drivers"),o=se(me.value,$e.create);return t("div",{class:"stack enrol",children:[t("div",{class:"page-h\
ead",children:[t("h1",{children:"Enrol machines"}),t("div",{class:"segmented",role:"radiogroup","aria-label":"How many",children:[t("label",{children:[t("input",
{type:"radio",name:"many",checked:!e,onChange:()=>X({as:null})}),t("span",{children:"One machine"})]}),t("label",{children:[t("input",{type:"radio",name:"many",
checked:e,onChange:()=>X({as:"many"})}),t("span",{children:"Many"})]})]})]}),o!==null&&t("p",{class:"wrong",children:["You cannot enrol: ",o,"."]}),t(ee,{doc:n,
children:r=>{let s=r.drivers.map(a=>a.name).sort();return e?t(as,{drivers:s,why:o}):t(Di,{drivers:s,why:o})}})]})}function Ri(e,n){return/_(address|username|password)$/.
test(e)||/required/i.test(n.slice(-12))}function Li(e){return/password|secret|key$|token/.test(e)&&!/key_file/.test(e)}function Di({drivers:e,why:n}){let[o,r]=g(
e.includes("redfish")?"redfish":e[0]??""),[s,a]=g(""),[i,l]=g(""),[u,f]=g(""),[c,m]=g({}),[h,d]=g(!1),p=D(o===""?null:`/v1/drivers/${E(o)}/properties`),w=yt(u).
find(v=>!/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(v)),S=(v,y)=>t(H,{label:v,hint:y,children:(q,x)=>t("input",{id:q,class:"input",type:Li(v)?"password":"text",autocomplete:"\
off",spellcheck:!1,"aria-describedby":x,placeholder:v==="redfish_address"?"https://bmc.example":"",value:c[v]??"",onInput:I=>{let{value:$}=I.currentTarget;m(O=>({
...O,[v]:$}))}})},v),k=async v=>{d(!0);try{let y=Object.fromEntries(Object.entries(c).filter(([,I])=>I!=="")),q={driver:o,driver_info:y,...s===""?{}:{name:s},...i===
""?{}:{resource_class:i}},x=await j("POST","/v1/nodes",q);if(x===null)return;for(let I of yt(u))await j("POST","/v1/ports",{node_uuid:x.uuid,address:I});W(`${s===
""?x.uuid:s} is enrolled.`),v&&await Ie(x.uuid,{target:"manage"}),ge(P(["nodes",x.name??x.uuid],{tab:v?"timeline":null}))}catch(y){Z("The machine could not be e\
nrolled",y)}d(!1)},b=n??(w===void 0?null:`${w} is no MAC address`);return t("form",{class:"form enrol-one",onSubmit:v=>{v.preventDefault(),b===null&&k(!0)},children:[
t(R,{title:"The machine",level:3,children:t("div",{class:"form",children:t("div",{class:"pair",children:[t(H,{label:"Driver",hint:"How its BMC is spoken to.",children:v=>t(
"select",{id:v,class:"input",value:o,onChange:y=>r(y.currentTarget.value),children:e.map(y=>t("option",{value:y,children:y},y))})}),t(H,{label:"Name",hint:"Lett\
ers, digits, dots and dashes.",children:v=>t("input",{id:v,class:"input",autofocus:!0,autocomplete:"off",spellcheck:!1,value:s,onInput:y=>a(y.currentTarget.value.
trim())})}),t(H,{label:"Resource class",hint:"What kind of machine it is, such as gpu.",children:v=>t("input",{id:v,class:"input",value:i,onInput:y=>l(y.currentTarget.
value.trim())})}),t(H,{label:"MAC addresses",hint:"Of the ports it boots from; separated by spaces.",error:w===void 0?null:`${w} is no MAC address.`,children:v=>t(
"input",{id:v,class:"input",spellcheck:!1,value:u,onInput:y=>f(y.currentTarget.value)})})]})})}),t(R,{title:"How to reach its BMC",level:3,children:t(ee,{doc:p,
children:v=>{let y=Object.entries(v).sort(),q=$=>$.endsWith("_address")?0:$.endsWith("_username")?1:$.endsWith("_password")?2:3,x=y.filter(([$,O])=>Ri($,O)).sort(
([$],[O])=>q($)-q(O)),I=y.filter($=>!x.includes($));return y.length===0?t("p",{class:"faint",children:"This driver needs nothing."}):t("div",{class:"form",children:[
t("div",{class:"pair",children:x.map(([$,O])=>S($,O))}),I.length>0&&t("details",{children:[t("summary",{children:[I.length," more settings"]}),t("div",{class:"p\
air",children:I.map(([$,O])=>S($,O))})]})]})}})}),t("div",{class:"row",children:[t(_,{kind:"main",type:"submit",why:b,busy:h,children:"Enrol and verify now"}),t(
_,{why:b,busy:h,onClick:()=>{k(!1)},children:"Enrol only"}),t("span",{class:"faint",children:"Verifying speaks to the BMC and leads to \u201Cmanageable\u201D."})]})]})}
async function is(e){let n=new Set;for(let o=0;o<e.length;o+=25){let r=e.slice(o,o+25).filter(a=>/^[\w.~-]+$/.test(a));if(r.length===0)continue;let s=await Y(`/\
corten/v1/nodes?fields=name&limit=25&q=${E(`name:${r.join(",")}`)}`);for(let a of s.nodes)n.add(a.name)}return n}function It(e,n){let o=`corten.${e}`,r=n;try{let i=localStorage.getItem(o);i!==null&&(r=JSON.parse(i))}catch{}let s=F(r),a=!0;return Be(()=>{let i=JSON.stringify(
s.value);a||localStorage.setItem(o,i),a=!1}),s}var Fe=It("letters",!0),_t=It("columns",["name","state","since","power","class","conductor","matter"]),Je=It("vie\
ws",[]),$o=It("group","resource_class"),Fn=It("images",[]),rn=It("console.font",14),He=F(Ii());function Ii(){let e=localStorage.getItem("corten.theme");return e===
"light"||e==="dark"?e:"system"}var cs=matchMedia("(prefers-color-scheme: dark)"),Eo=F(0);function us(){let e=He.value==="dark"||He.value==="system"&&cs.matches;
document.documentElement.dataset.theme=e?"dark":"light",Eo.value+=1}cs.addEventListener("change",us);function Bt(e){He.value=e,e==="system"?localStorage.removeItem(
"corten.theme"):localStorage.setItem("corten.theme",e),us()}var an=F([]);function Mo(){return an.value.flat()}function We(e){L(()=>(an.value=[...an.peek(),e],()=>{an.value=an.peek().filter(n=>n!==e)}))}function Bi(e){return e instanceof
HTMLElement?e.isContentEditable||["INPUT","TEXTAREA","SELECT"].includes(e.tagName)||e.closest(".terminal")!==null:!1}var sn=null,ds;function Po(e){let n=document.
querySelector("dialog[open]")!==null,o=!e.ctrlKey&&!e.metaKey&&!e.altKey;if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="k"&&!Oi(e.target)){e.preventDefault(),
wt.value=!wt.value;return}if(n||!o||Bi(e.target))return;let r=e.key.length===1;if(r&&!Fe.value)return;let s=sn===null?e.key:`${sn} ${e.key}`;sn=null,window.clearTimeout(
ds);let a=Mo(),i=a.findLast(l=>l.keys===s)??a.findLast(l=>l.keys===e.key);i!==void 0?(e.preventDefault(),i.run(e)):r&&a.some(l=>l.keys.startsWith(e.key+" "))&&(sn=
e.key,ds=window.setTimeout(()=>sn=null,1500))}function Oi(e){return e instanceof Element&&e.closest(".terminal")!==null}var wt=F(!1),ln=F(!1);var fs=1e4,Ao=400,qi=["created","provision","power","step","error","warning","maintenance","console","updated","resumed","deleted"];function ms(){let e=le.value.
get("kind")??"",n=le.value.get("node")??"",o=le.value.get("project")??"",r=le.value.get("after"),[s,a]=g(null),[i,l]=g(null),[u,f]=g(!1),c=U([]),[m,h]=g(0),[d,p]=g(
null),w=[["kind",e],["node",n],["project",o]].map(([b,v])=>v===""?"":`&${b}=${E(v??"")}`).join("");L(()=>{let b=!1;return a(null),l(null),(async()=>{try{let y=r===
null?await Wi():Number(r),q=await Y(`/corten/v1/events?limit=1000&after=${y}${w}`);b||a(q.events.reverse())}catch(y){b||l(Se(y))}})(),()=>{b=!0}},[w,r]),L(()=>{
if(r!==null)return;let b=v=>{v.length!==0&&(u?(c.current=[...v.reverse(),...c.current].slice(0,fs),h(c.current.length)):a(y=>ps(y??[],v)))};return o!==""?Fi(w,b):
Oe(v=>b(v.filter(y=>(e===""||y.kind===e)&&(n===""||y.node===n||y.node_name===n))))},[w,r,u]);let S=()=>{a(b=>ps(b??[],c.current.reverse())),c.current=[],h(0),f(
!1)};We([{keys:"p",about:"pause, and follow again",run:()=>u?S():f(!0)}]);let k=i!==null&&i.status===410?i.body:null;return t("div",{class:"stack",children:[t("\
div",{class:"page-head",children:[t("h1",{children:"Events"}),t("select",{class:"select","aria-label":"Kind",value:e,onChange:b=>X({kind:b.currentTarget.value}),
children:[t("option",{value:"",children:"all kinds"}),qi.map(b=>t("option",{value:b,children:b},b))]}),t("input",{class:"input filter","aria-label":"Node",placeholder:"\
node",value:n,onChange:b=>X({node:b.currentTarget.value.trim()})}),t("input",{class:"input filter","aria-label":"Project",placeholder:"project",value:o,onChange:b=>X(
{project:b.currentTarget.value.trim()})}),t("label",{class:"inline-label",children:["at"," ",t("input",{class:"input filter",type:"datetime-local",onChange:b=>{
let v=b.currentTarget.value;v===""?X({after:null}):ji(new Date(v).getTime()).then(y=>X({after:String(y)}),y=>l(Se(y)))}})]}),r===null?t(_,{small:!0,pressed:u,onClick:()=>u?
S():f(!0),children:[t(N,{name:u?"play":"pause"})," ",u?`Follow${m>0?` \xB7 ${J(m)} new`:""}`:"Pause"]}):t(_,{small:!0,kind:"main",onClick:()=>X({after:null}),children:"\
Follow the newest"}),t("span",{class:"spring"}),t(ve,{commands:{corten:`corten events${n===""?"":` --node ${he(n)}`}${e===""?"":` --kind ${e}`}`,curl:ce("GET",`\
/corten/v1/events?after=0${w}`)}})]}),i!==null&&t("div",{class:"stack",children:[t(Te,{error:i}),k?.oldest!==void 0&&t(_,{onClick:()=>X({after:String((k.oldest??
1)-1)}),children:"Read from the oldest event that is kept"})]}),i===null&&s===null&&t(Ce,{lines:10}),s!==null&&s.length===0&&t(V,{title:"No event matches",children:"\
Everything that happens to machines is written here."}),s!==null&&s.length>0&&t("div",{class:"panel event-list",children:[s.slice(0,Ao).map(b=>t("div",{class:"e\
vent-row",children:[t("time",{dateTime:b.at,title:ht(b.at),children:new Date(b.at).toLocaleTimeString("en-GB")}),t("a",{href:P(["nodes",b.node_name??b.node]),children:b.
node_name??b.node.slice(0,8)}),t("span",{class:`kind-${b.kind}`,children:b.kind}),t("span",{class:"event-text",children:b.text}),t(_,{small:!0,kind:"quiet",label:`\
JSON of event ${b.cursor}`,expanded:d===b.cursor,onClick:()=>p(d===b.cursor?null:b.cursor),children:"JSON"}),d===b.cursor&&t("pre",{class:"json event-json",children:JSON.
stringify(b,null,2)})]},b.cursor)),s.length>Ao&&t("p",{class:"faint event-row",children:[J(s.length-Ao)," older ones are not drawn; filter to see them."]})]})]})}
function Fi(e,n){let o=new AbortController;return(async()=>{let s=Ne.peek();for(;!o.signal.aborted;){let a=await Y(`/corten/v1/events?wait=20&after=${s}${e}`,o.
signal);s=a.next,n(a.events)}})().catch(()=>{}),()=>o.abort()}function ps(e,n){let o=e[0]?.cursor??0;return[...n.filter(s=>s.cursor>o).sort((s,a)=>a.cursor-s.cursor),
...e].slice(0,fs)}async function Wi(){let n=(await Y("/corten/v1/status")).database.newest_event;return Math.max(0,(n?.cursor??0)-300)}async function ji(e){let n=await Y(
"/corten/v1/status"),o=n.database.oldest_event?.cursor??1,r=n.database.newest_event?.cursor??1;for(;o<r;){let s=Math.floor((o+r)/2),i=(await Y(`/corten/v1/event\
s?limit=1&after=${s-1}`)).events[0];i===void 0||Date.parse(i.at)>=e?r=s:o=Math.max(i.cursor,s)+1}return Math.max(0,o-1)}function Ui(e,n){let o=[],r=0;for(let s of e.matchAll(/([a-zA-Z])(\d+)/g)){let a=s[1]??"",i=n[a.toLowerCase()],l=Number(s[2]);i===void 0||l<=0||(o.push({look:i,
aside:a!==a.toLowerCase(),count:l,start:r}),r+=l)}return o}var Hi=[[26,4],[20,4],[14,3],[12,2],[10,2],[8,2],[7,1],[6,1],[5,1],[4,1],[4,0],[3,0]],Ji=10,hs=20;function gs(e,n,o,r){
let s=o<640,a=s?0:168,i;for(let[u,f]of Hi){let c=u+f,m=Math.max(1,Math.floor((o-a)/c)),h=0,d=[];for(let p of e){let w=Math.max(1,Math.ceil(p.total/m)),S=s?h+hs:
h,k=Math.max(w*c,s?0:hs);d.push({group:p,runs:[],y:S,height:k}),h=S+k+Ji}if(i={cell:u,gap:f,columns:m,left:a,width:o,height:Math.max(h,1),blocks:d},h<=(u>14?r/4:
r))break}let l=i;for(let u of l.blocks)u.runs=Ui(u.group.cells,n);return l}function vs(e,n,o){let r=e.cell+e.gap,s=Math.floor((n-e.left)/r);if(s<0||s>=e.columns)
return null;for(let[a,{y:i,height:l,group:u}]of e.blocks.entries()){if(o<i||o>=i+l)continue;let f=Math.floor((o-i)/r)*e.columns+s;return f<u.total?{block:a,index:f}:
null}return null}function bs(e,n,o){let r=e.blocks[n.block];if(r===void 0)return n;let{total:s}=r.group,a=n.index;if(o==="ArrowRight"?a+=1:o==="ArrowLeft"?a-=1:
o==="ArrowDown"?a+=e.columns:o==="ArrowUp"?a-=e.columns:o==="Home"?a=0:o==="End"&&(a=s-1),a>=s){let i=e.blocks[n.block+1];return i===void 0?{block:n.block,index:s-
1}:{block:n.block+1,index:o==="ArrowDown"?Math.min(n.index%e.columns,i.group.total-1):0}}if(a<0){let i=e.blocks[n.block-1];return i===void 0?{block:0,index:0}:{
block:n.block-1,index:i.group.total-1}}return{block:n.block,index:a}}function ys(e,n){return e.runs.find(o=>n>=o.start&&n<o.start+o.count)}function No(e,n){let o=e.
blocks[n.block],r=e.cell+e.gap;return{x:e.left+n.index%e.columns*r,y:(o?.y??0)+Math.floor(n.index/e.columns)*r}}var Ee=F(new Map);var Ki=560,cn=5;function Ke(...e){return e.filter(n=>n!=null&&n!=="").join(" ")}function Vi(){let e=getComputedStyle(document.documentElement),n=o=>e.getPropertyValue(
o).trim();return{ready:n("--ready"),in_use:n("--in-use"),working:n("--working"),waiting:n("--waiting"),held:n("--held"),failed:n("--failed"),text:n("--text"),faint:n(
"--faint"),back:n("--panel"),focus:n("--focus")}}function Ro(e){return e===null||e===""?"(none)":e}function ws({map:e,q:n}){let o=U(null),r=U(null),[s,a]=g(0),[
i,l]=g(null),[u,f]=g(null),c=Gi(e,n,i),m=s===0?null:gs(e.groups,e.letters,s,Ki);ut(()=>{let v=o.current;if(v===null)return;let y=()=>a(v.clientWidth);y();let q=new ResizeObserver(
y);return q.observe(v),()=>q.disconnect()},[]);let h=Eo.value;ut(()=>{r.current!==null&&m!==null&&zi(r.current,m,i,u)},[e,s,i,u,h]);let d=v=>{let y=r.current?.getBoundingClientRect();
return y===void 0||m===null?null:vs(m,v.clientX-y.left,v.clientY-y.top)},p=()=>{c!==void 0&&ge(P(["nodes",c.name??c.uuid]))},w=async()=>{if(u===null)return;f(null);
let v=m?.blocks[u.from.block],[y,q]=[Math.min(u.from.index,u.to.index),Math.max(u.from.index,u.to.index)];if(v===void 0||u.from.block!==u.to.block)return;if(y===
q)return p();let x=Ke(n,v.group.q),I=await Y(`/corten/v1/nodes?fields=uuid,name&sort=name&limit=${Math.min(1e3,q-y+1)}&offset=${y}&q=${E(x)}`);Ee.value=new Map(
I.nodes.map($=>[$.uuid,$.name??$.uuid])),ge(P(["nodes"],{q:x}))},S=m!==null&&i!==null?No(m,i):null,k=i===null?void 0:m?.blocks[i.block],b=k===void 0||i===null?void 0:
ys(k,i.index);return t("div",{class:"map",ref:o,tabIndex:0,role:"application","aria-label":`Map of ${J(e.total)} nodes. Arrow keys move, Enter opens a node, t s\
hows a table.`,onKeyDown:v=>{if(!(m===null||m.blocks.length===0)){if(v.key==="Enter")p();else if(v.key==="Escape")l(null);else if(v.key.startsWith("Arrow")||v.key===
"Home"||v.key==="End")l(i===null?{block:0,index:0}:bs(m,i,v.key));else return;v.preventDefault()}},onBlur:()=>l(null),children:[t("canvas",{ref:r,class:"map-can\
vas","aria-hidden":"true",onPointerMove:v=>{let y=d(v);u!==null&&y!==null&&y.block===u.from.block&&f({...u,to:y}),(y?.block!==i?.block||y?.index!==i?.index)&&l(
y)},onPointerLeave:()=>{l(null),f(null)},onPointerDown:v=>{let y=d(v);y!==null&&v.button===0&&f({from:y,to:y})},onPointerUp:()=>{w()}}),S!==null&&b!==void 0&&m!==
null&&t("div",{class:"map-tip",role:"status",style:{left:`${Math.max(0,Math.min(S.x,s-250))}px`,top:`${S.y+m.cell+6}px`},children:c===void 0?t("span",{class:"fa\
int",children:[b.look.replace("_"," ")," \u2026"]}):t(T,{children:[t("strong",{children:c.name??c.uuid}),t(et,{state:c.provision_state,target:c.target_provision_state,
maintenance:c.maintenance}),t("span",{class:"faint",children:["since ",ke(c.provision_updated_at)]}),c.cause!==null&&t("span",{class:"map-cause",children:c.cause.
sentence})]})})]})}function Gi(e,n,o){let[r,s]=g({key:"",row:void 0}),a=o===null?void 0:e.groups[o.block],i=a===void 0||o===null?"":`${o.block}/${o.index}/${e.cursor}`;
return L(()=>{if(a===void 0||o===null)return;let l=new AbortController,u=window.setTimeout(()=>{Y(`/corten/v1/nodes?sort=name&limit=1&offset=${o.index}&q=${E(Ke(
n,a.q))}`,l.signal).then(f=>s({key:i,row:f.nodes[0]}),()=>{})},60);return()=>{window.clearTimeout(u),l.abort()}},[i]),r.key===i?r.row:void 0}function zi(e,n,o,r){
let s=window.devicePixelRatio||1;e.width=Math.round(n.width*s),e.height=Math.round(n.height*s),e.style.width=`${n.width}px`,e.style.height=`${n.height}px`;let a=e.
getContext("2d");if(a===null)return;let i=Vi();a.scale(s,s),a.clearRect(0,0,n.width,n.height),a.textBaseline="middle";let l=n.cell+n.gap;for(let u of n.blocks){
Zi(a,n,u,i);let f=[];for(let c of u.runs){a.fillStyle=i[c.look];for(let m=c.start;m<c.start+c.count;){let h=m%n.columns,d=n.gap===0?Math.min(c.start+c.count-m,n.
columns-h):1,p=n.left+h*l,w=u.y+Math.floor(m/n.columns)*l;if(c.look==="failed"&&n.cell<cn)for(let S=0;S<d;S+=1)f.push(()=>{a.fillStyle=i.back,a.fillRect(p+S*l-2,
w-2,cn+2,cn+2),a.fillStyle=i.failed,a.fillRect(p+S*l-1,w-1,cn,cn)});else n.cell>=6?(a.beginPath(),a.roundRect(p,w,n.cell,n.cell,n.cell>=10?3:1.5),a.fill(),c.look===
"failed"&&n.cell>=8&&Yi(a,p,w,n.cell,i.back),c.aside&&Qi(a,p,w,n.cell,i.back)):(a.fillRect(p,w,n.gap===0?d*l:n.cell,n.cell),c.aside&&n.cell>=4&&(a.fillStyle=i.back,
a.fillRect(p+1,w+1,n.cell-2,n.cell-2),a.fillStyle=i[c.look]));m+=d}}for(let c of f)c()}if(a.strokeStyle=i.focus,a.lineWidth=2,r!==null&&r.from.block===r.to.block){
let[u,f]=[Math.min(r.from.index,r.to.index),Math.max(r.from.index,r.to.index)];for(let c=u;c<=f&&f-u<4e3;c+=1)_s(a,n,{block:r.from.block,index:c})}o!==null&&_s(
a,n,o)}function _s(e,n,o){let{x:r,y:s}=No(n,o);e.strokeRect(r-1.5,s-1.5,n.cell+3,n.cell+3)}function Yi(e,n,o,r,s){let a=r*.3;e.strokeStyle=s,e.lineWidth=r>=12?2:
1.4,e.beginPath(),e.moveTo(n+a,o+a),e.lineTo(n+r-a,o+r-a),e.moveTo(n+r-a,o+a),e.lineTo(n+a,o+r-a),e.stroke()}function Qi(e,n,o,r,s){e.save(),e.beginPath(),e.rect(
n,o,r,r),e.clip(),e.strokeStyle=s,e.lineWidth=1.4;for(let a=-r;a<r;a+=4)e.beginPath(),e.moveTo(n+a,o+r),e.lineTo(n+a+r,o),e.stroke();e.restore()}function Zi(e,n,o,r){
let s=n.left===0?o.y-10:o.y+Math.max(n.cell,14)/2,a=n.left===0?n.width-70:n.left-76;e.fillStyle=r.text,e.font="600 13px system-ui, sans-serif";let i=Ro(o.group.
name);for(;i.length>2&&e.measureText(i).width>a;)i=i.slice(0,-2)+"\u2026";e.fillText(i,0,s);let l=e.measureText(i).width+8;e.fillStyle=r.faint,e.font="13px syst\
em-ui, sans-serif",e.fillText(J(o.group.total),l,s)}var Xi=200;function Lo(e){let n=e?.body;return typeof n!="object"||n===null?null:n.query_error??null}function Wn({q:e,onQuery:n,error:o}){let r=dt(),s=U(null),[
a,i]=g(e),[l,u]=g(0),[f,c]=g(!1),[m,h]=g(-1),[d,p]=g([]),w=U(void 0),S=U(e);e!==S.current&&(S.current=e,a!==e&&i(e));let k=On(a,l).key,b=k===null?void 0:Bn[k]?.
by??(k.startsWith("extra.")?k:void 0);L(()=>{if(p([]),!f||b===void 0)return;let $=new AbortController;return Y(`/corten/v1/fleet?by=${E(b)}`,$.signal).then(O=>p(
[...O.groups].sort((C,B)=>B.total-C.total)),()=>{}),()=>$.abort()},[b,f]);let v=$=>{window.clearTimeout(w.current),S.current=$.trim(),n($.trim())},y=($,O)=>{i($),
u(O),h(-1),window.clearTimeout(w.current),w.current=window.setTimeout(()=>v($),Xi)},q=f?Zr(a,l,d):[],x=$=>{let O=q[$];if(O===void 0)return;let C=Xr(a,l,O);i(C.query),
u(C.caret),h(-1),O.done&&v(C.query),requestAnimationFrame(()=>{s.current?.focus(),s.current?.setSelectionRange(C.caret,C.caret)})},I=Lo(o);return t("div",{class:"\
query",children:[t("div",{class:"query-box",children:[t(N,{name:"search"}),t("input",{ref:s,id:"query",class:"query-input",role:"combobox","aria-label":"Filter \
nodes","aria-expanded":q.length>0,"aria-controls":`${r}-list`,"aria-activedescendant":m>=0?`${r}-${m}`:void 0,"aria-invalid":I!==null,autocomplete:"off",spellcheck:!1,
maxLength:1e3,placeholder:"Filter: state:failed class:gpu -maint:yes age>1h",value:a,onInput:$=>y($.currentTarget.value,$.currentTarget.selectionStart??0),onSelect:$=>u(
$.currentTarget.selectionStart??0),onFocus:()=>c(!0),onBlur:()=>c(!1),onKeyDown:$=>{if($.key==="ArrowDown")h(Math.min(m+1,q.length-1));else if($.key==="ArrowUp")
h(Math.max(m-1,-1));else if($.key==="Tab"&&m>=0)x(m);else if($.key==="Enter")m>=0?x(m):(v(a),s.current?.blur(),document.getElementById("nodes")?.focus());else if($.
key==="Escape")m>=0?h(-1):a!==""?(i(""),v("")):s.current?.blur();else return;$.preventDefault(),$.stopPropagation()}}),a!==""&&t("button",{type:"button",class:"\
icon-button","aria-label":"Clear the filter",onClick:()=>{i(""),v(""),s.current?.focus()},children:t(N,{name:"close"})})]}),t("ul",{class:"offers",id:`${r}-list`,
role:"listbox","aria-label":"Completions",hidden:q.length===0,children:q.map(($,O)=>t("li",{id:`${r}-${O}`,role:"option","aria-selected":O===m,class:"offer",onPointerDown:C=>{
C.preventDefault(),x(O)},children:[t("span",{children:$.label}),t("span",{class:"faint",children:$.about})]},$.label))}),I!==null&&t("p",{class:"query-wrong",role:"\
alert",children:[t("code",{children:[e.slice(0,I.start),t("mark",{children:e.slice(I.start,I.end)}),e.slice(I.end)]})," ",I.text,I.suggestion!==null&&t(_,{small:!0,
kind:"quiet",onClick:()=>v(e.slice(0,I.start)+(I.suggestion??"")+e.slice(I.end)),children:["Use ",I.suggestion]})]})]})}var el=new Set(["created","deleted","provision","error","maintenance","updated","warning","resumed"]),Do=e=>el.has(e.kind),ks=[["resource_class","resource class"],
["driver","driver"],["conductor","conductor"],["conductor_group","conductor group"],["chassis","chassis"],["shard","shard"],["owner","owner"],["state","state"]];
function xs(){let e=le.value.get("q")??"",n=le.value.get("by")??$o.value,o=le.value.get("as")==="table",r=e===""?"":`&q=${E(e)}`,s=D(`/corten/v1/fleet?by=${E(n)}${r}`,
{on:Do,atMost:1e3,keep:!0}),a=D(`/corten/v1/failures?${r.slice(1)}`,{on:Do,atMost:1e3,every:3e4,keep:!0}),i=D("/corten/v1/work",{every:2e3}),l=D("/corten/v1/sta\
tus",{every:1e4});We([{keys:"t",about:"map as a table, and back",run:()=>X({as:o?null:"table"})},{keys:"/",about:"filter",run:()=>document.getElementById("query")?.
focus()}]);let u=s.data.value;if(u!==void 0&&u.total===0&&e==="")return t(tl,{});let f=me.value?.group_key?[...ks,[`extra.${me.value.group_key}`,me.value.group_key]]:
ks;return t("div",{class:"fleet",children:[t("h1",{class:"hidden",children:"Fleet"}),t("div",{class:"fleet-top",children:[t(R,{class:"needs",title:t(T,{children:[
"Needs a person",a.data.value!==void 0&&a.data.value.total>0&&t("span",{class:"count count-failed",children:J(a.data.value.total)})]}),children:t(ee,{doc:a,lines:4,
children:c=>t(nl,{failures:c,status:l.data.value,filter:e})})}),t(R,{class:"under-way",title:t(T,{children:["Under way",i.data.value!==void 0&&t("span",{class:"\
count",children:J(i.data.value.total)})]}),actions:i.data.value!==void 0&&i.data.value.total>0?t("a",{class:"button button-quiet button-small",href:P(["nodes"],
{q:"state:working,waiting",sort:"provision_updated_at"}),children:"List"}):void 0,children:t(ee,{doc:i,lines:4,children:c=>t(rl,{work:c})})})]}),t(R,{class:"map\
-panel",title:u===void 0?"Machines":fe(u.total,"machine"),actions:t(T,{children:[t("label",{class:"inline-label",children:["By"," ",t("select",{class:"select",value:n,
onChange:c=>{$o.value=c.currentTarget.value,X({by:null})},children:f.map(([c,m])=>t("option",{value:c,children:m},c))})]}),t(_,{small:!0,kind:"quiet",pressed:o,
onClick:()=>X({as:o?null:"table"}),children:"Table"}),t(ve,{commands:{corten:`corten fleet counts --by ${n}`,curl:ce("GET",`/corten/v1/fleet?by=${n}${r}`)}})]}),
children:[t(Wn,{q:e,onQuery:c=>X({q:c}),error:s.error.value}),t(ee,{doc:s,lines:2,children:c=>t(T,{children:[t(al,{counts:c,q:e}),o?t(il,{fleet:c,q:e}):t(cl,{by:n,
q:e}),c.left_out>0&&t("p",{class:"faint",children:[fe(c.left_out,"smaller group")," not shown."]})]})})]})]})}function tl(){return t(V,{title:"No machines yet",
children:[t("p",{children:"Every machine of your racks will be here, with what it does and what it needs."}),t("p",{class:"row",children:[t("a",{class:"button b\
utton-main",href:P(["enrol"]),children:"Enrol machines"}),t("span",{class:"faint",children:["or try a rack of fake ones: ",t("code",{children:"corten demo"})]})]})]})}
function nl({failures:e,status:n,filter:o}){let r=(n?.problems??[]).filter(s=>s.code!=="failed_nodes");return e.causes.length===0&&r.length===0?t("div",{class:"\
all-well",children:[t(N,{name:"check"}),t("div",{children:[t("p",{class:"all-well-title",children:"Nothing needs a person"}),t("p",{class:"faint",children:"Fail\
ed, faulty and stuck machines appear here with their cause and what to do."})]})]}):t("ul",{class:"causes",children:[r.map(s=>t("li",{class:"cause",children:[t(
"span",{class:"cause-count cause-warn",children:t(N,{name:"warn"})}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:s.text}),t("p",
{class:"cause-advice",children:s.advice})]}),t("a",{class:"button button-small",href:P(["conductors"]),children:"Show"})]},s.code)),e.causes.slice(0,8).map(s=>t(
ol,{cause:s,filter:o},s.code)),e.causes.length>8&&t("li",{class:"faint",children:t("a",{href:P(["nodes"],{q:Ke(o,"state:failed")}),children:fe(e.causes.length-8,
"more cause")})})]})}function ol({cause:e,filter:n}){let o=e.count===1?e.nodes[0]:void 0,r=o===void 0?P(["nodes"],{q:Ke(n,e.q)}):P(["nodes",o.name??o.uuid]);return t(
"li",{class:"cause",children:[t("span",{class:"cause-count",children:[t(z,{look:"failed"})," ",J(e.count)]}),t("div",{class:"cause-words",children:[t("p",{class:"\
cause-sentence",children:e.sentence??e.example??"You may not see the cause."}),e.advice!==null&&t("p",{class:"cause-advice",children:e.advice}),t("p",{class:"ca\
use-nodes faint",children:[e.since!==null&&t(T,{children:["since ",t(Ae,{at:e.since})," "]}),e.nodes.slice(0,3).map(s=>t("a",{href:P(["nodes",s.name??s.uuid]),children:s.
name??s.uuid.slice(0,8)},s.uuid)),e.count>3&&t("span",{children:["and ",J(e.count-3)," more"]})]})]}),t("a",{class:"button button-small",href:r,"aria-label":o===
void 0?`List ${e.count} nodes: ${e.sentence??""}`:`Open ${o.name??o.uuid}`,children:o===void 0?"List":"Open"})]})}function rl({work:e}){return e.operations.length===
0?t(V,{title:"Nothing is under way",children:"Deployments, cleaning and inspections appear here while they run."}):t("ul",{class:"work",children:[e.operations.slice(
0,7).map(n=>t(sl,{operation:n},n.node)),e.total>7&&t("li",{class:"faint",children:["\u2026 ",J(e.total-7)," more"]})]})}function sl({operation:e}){let n=e.name??
e.node,{progress:o,waiting:r}=e,s=o!==null&&o.bytes!==null&&o.total!==null?$t(o.bytes,o.total):null;return t("li",{class:"work-row",children:[t("a",{class:"work\
-name",href:P(["nodes",n]),children:[t(z,{look:e.look})," ",n]}),t("span",{class:"work-verb",children:e.verb??e.provision_state}),t("span",{class:`work-what${r?.
is_stuck===!0?" stuck":""}`,children:[r!==null?`waits ${ke(r.since)} for ${r.for}`:e.phase??e.step??e.provision_state,e.steps_total!==null&&e.steps_total>1&&` \xB7\
 step ${Math.min((e.steps_done??0)+1,e.steps_total)} of ${e.steps_total}`,o?.rate!==null&&o?.rate!==void 0&&` \xB7 ${Re(o.rate)}/s`,o?.eta!==null&&o?.eta!==void 0&&
` \xB7 ${ye(o.eta)} left`]}),t("span",{class:"work-age",children:t(Pe,{at:e.started_at??e.state_since})}),s!==null&&t(Pt,{value:s,label:`${n}: ${Math.round(s)} \
%`})]})}function al({counts:e,q:n}){let o=Yt.filter(({look:r})=>e.looks[r]>0);return t("div",{class:"summary",children:[t("div",{class:"summary-bar","aria-hidde\
n":"true",children:o.map(({look:r})=>t("span",{class:`fill-${r}`,style:{flexGrow:e.looks[r]}},r))}),t("ul",{class:"summary-list",children:[Yt.map(({look:r,word:s})=>t(
"li",{children:t("a",{class:`tally look-${r}${e.looks[r]===0?" tally-none":""}`,href:P(["nodes"],{q:Ke(n,`state:${r}`)}),children:[t(z,{look:r})," ",t("span",{class:"\
tally-word",children:s})," ",t("strong",{children:J(e.looks[r])})]})},r)),e.maintenance>0&&t("li",{children:t("a",{class:"tally",href:P(["nodes"],{q:Ke(n,"maint\
:yes")}),children:[t("span",{class:"chip chip-hatch",children:"maintenance"})," ",t("strong",{children:J(e.maintenance)})]})})]})]})}function il({fleet:e,q:n}){
return t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"group"}),t("th",
{scope:"col",class:"num",children:"machines"}),Yt.map(({look:o,word:r})=>t("th",{scope:"col",class:"num",children:r},o)),t("th",{scope:"col",class:"num",children:"\
maintenance"})]})}),t("tbody",{children:e.groups.map(o=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:P(["nodes"],{q:Ke(n,o.q)}),children:Ro(o.name)})}),
t("td",{class:"num",children:J(o.total)}),Yt.map(({look:r})=>t(ll,{look:r,count:o.looks[r],to:Ke(n,o.q,`state:${r}`)},r)),t("td",{class:"num",children:o.maintenance===
0?t("span",{class:"faint",children:"0"}):J(o.maintenance)})]},o.q))})]})})}function ll({look:e,count:n,to:o}){return t("td",{class:"num",children:n===0?t("span",
{class:"faint",children:"0"}):t("a",{class:`look-${e}`,href:P(["nodes"],{q:o}),children:J(n)})})}function cl({by:e,q:n}){let o=Tt(void 0),[r,s]=g(null);return L(
()=>{let a=null,i,l=0,u=!1,f=async()=>{i=void 0,l=Date.now();try{let m=await Et(`/corten/v1/fleet/map?by=${E(e)}&q=${E(n)}`,{headers:a===null?{}:{"If-None-Match":a}});
if(u||m.status===304)return;a=m.headers.get("etag"),o.value=await m.json(),Nt(o.value.cursor),s(null)}catch(m){u||s(Se(m))}},c=Oe(m=>{i!==void 0||!m.some(Do)||(i=
window.setTimeout(()=>{f()},Math.max(0,l+2e3-Date.now())))});return f(),()=>{u=!0,c(),window.clearTimeout(i)}},[e,n,vt.value,Le.value]),r!==null&&o.value===void 0?
t(Te,{error:r}):o.value===void 0?t(Ce,{lines:5}):o.value.total===0?t(V,{title:"No machine matches",children:"Change the filter, or clear it."}):t(ws,{map:o.value,
q:n})}function Ss(){let e=me.value,[n,o]=g("");if(e===void 0)return t(Ce,{lines:6});let r=e.rules.filter(s=>s.includes(n.trim()));return t("div",{class:"stack",children:[
t("div",{class:"page-head",children:t("h1",{children:In(e)})}),t("div",{class:"cards",children:[t(R,{title:"Who I am",level:3,children:t(_e,{rows:[["Sign-in",e.
mode],["User",e.user_name??e.user],["Project",e.project_name??e.project],["System scope",e.system_scope],["Roles",e.roles.join(", ")],["Session ends",e.session===
null?null:t(Ae,{at:e.session.expires_at})],["Service",`version ${e.version}, API up to ${e.api_version}`]]})}),t(R,{title:"This browser",level:3,children:t("div",
{class:"form",children:[t("div",{class:"segmented",role:"radiogroup","aria-label":"Theme",children:["light","dark","system"].map(s=>t("label",{children:[t("inpu\
t",{type:"radio",name:"theme",checked:He.value===s,onChange:()=>Bt(s)}),t("span",{children:s==="system"?"as the system":s})]},s))}),t("label",{class:"check-line",
children:[t("input",{type:"checkbox",checked:Fe.value,onChange:s=>Fe.value=s.currentTarget.checked})," single letters are keys"]}),t("p",{children:t("a",{href:"\
/ui/licences.txt",target:"_blank",rel:"noopener",children:"Licences of what is in this page"})})]})})]}),t(R,{title:`Rules granted \xB7 ${r.length}`,level:3,actions:t(
"input",{class:"input filter","aria-label":"Filter rules",placeholder:"Filter",value:n,onInput:s=>o(s.currentTarget.value)}),children:[e.is_open&&t("p",{class:"\
faint",children:"In this mode everybody who gets in may do everything."}),r.length===0?t(V,{title:"No rule matches"}):t("ul",{class:"rules",children:r.map(s=>t(
"li",{children:t("code",{children:s})},s))})]})]})}function Ve({label:e,choices:n,kind:o="plain",name:r,right:s}){let[a,i]=g(!1),l=U(null),u=U(null),f=()=>[...l.current?.querySelectorAll('[role^="menuitem"]')??[]];
L(()=>{if(!a)return;f()[0]?.focus();let h=d=>{d.target instanceof Node&&l.current?.contains(d.target)===!1&&i(!1)};return document.addEventListener("pointerdown",
h),()=>document.removeEventListener("pointerdown",h)},[a]);let c=()=>{i(!1),u.current?.focus()},m=h=>{let d=f(),p=d.indexOf(document.activeElement);d[(p+h+d.length)%
d.length]?.focus()};return t("div",{class:"menu",ref:l,children:[t("button",{ref:u,type:"button",class:`button button-${o}`,"aria-haspopup":"menu","aria-expande\
d":a,"aria-label":r,onClick:()=>i(!a),onKeyDown:h=>{h.key==="ArrowDown"&&(h.preventDefault(),i(!0))},children:[e," ",t(N,{name:"down"})]}),a&&t("div",{class:`me\
nu-list${s===!0?" menu-right":""}`,role:"menu","aria-label":r??"Choices",onKeyDown:h=>{if(h.stopPropagation(),h.key==="Escape"||h.key==="Tab")c();else if(h.key===
"ArrowDown"||h.key==="j")m(1);else if(h.key==="ArrowUp"||h.key==="k")m(-1);else if(h.key==="Home")f()[0]?.focus();else if(h.key==="End")f().at(-1)?.focus();else
return;h.preventDefault()},children:n.map(h=>t("button",{type:"button",role:h.checked===void 0?"menuitem":"menuitemcheckbox","aria-checked":h.checked,"aria-disa\
bled":h.why!==null&&h.why!==void 0,tabIndex:-1,class:`menu-item${h.danger===!0?" menu-danger":""}`,onClick:()=>{h.why!==null&&h.why!==void 0||(c(),h.onPick())},
children:[t("span",{class:"menu-label",children:[h.checked!==void 0&&t("span",{class:"menu-check",children:h.checked?t(N,{name:"check"}):null}),h.label]}),(h.why??
h.about)!==void 0&&(h.why??h.about)!==null&&t("span",{class:"menu-about",children:h.why??h.about})]},h.label))})]})}function Cs({node:e,me:n,reload:o}){let[r,s]=g(null),[a,i]=g(null),l=e.name??e.uuid,u=zr(e.provision_state),f=ot.filter(p=>!u.includes(p));L(()=>i(null),[e.provision_state,
e.power_state,e.maintenance,e.reservation]);let c=async(p,w)=>{s(null),i(p);try{await w(S=>W(`Waiting: ${S.message}`)),W(`${p}: asked for.`),o()}catch(S){i(null),
Z(`${p} was refused`,S)}},m=p=>{p.asks===!0?X({do:p.verb}):p.destroys===!0?s({kind:"verb",action:p}):c(p.label,w=>Ie(e.uuid,{target:p.target},w))},h=le.value.get(
"do");L(()=>{let p=ot.find(S=>S.verb===h);if(p===void 0||p.asks===!0)return;X({do:null},!0);let w=Lt(e,p,n);w===null?m(p):W(`Not now: ${w}.`)},[h]);let d=se(n,$e.
power)??(e.reservation!==null?`${e.reservation} works on it`:null);return t("div",{class:"verbs",children:[u.map(p=>t(_,{kind:Yr(e.provision_state,p.verb)?"main":
p.destroys===!0?"danger":"plain",why:Lt(e,p,n),onClick:()=>m(p),children:[p.label,p.asks===!0||p.destroys===!0?"\u2026":""]},p.verb)),t(Ve,{label:"Power",choices:Gr.
map(p=>({label:p.label,why:d,danger:"destroys"in p,onPick:()=>"destroys"in p&&e.provision_state==="active"?s({kind:"power",target:p.target,label:p.label}):void c(
p.label,w=>nn(e.uuid,p.target,w))}))}),t(Ve,{label:"More",choices:[{label:e.maintenance?"End maintenance":"Maintenance\u2026",why:se(n,e.maintenance?$e.resume:$e.
maintain),about:e.maintenance?"let the service work on it again":"keep the service from working on it",onPick:()=>e.maintenance?void c("End of maintenance",()=>on(
e.uuid,!1,"")):s({kind:"maintenance"})},{label:"Forget this node\u2026",danger:!0,why:se(n,$e.remove),about:"delete it from the service",onPick:()=>s({kind:"rem\
ove"})},...f.map(p=>({label:p.label,why:Lt(e,p,n),about:p.about,onPick:()=>m(p)}))]}),a!==null&&t("span",{class:"asked",role:"status",children:[a,": asked for \u2026"]}),
r?.kind==="verb"&&t(nt,{title:`${r.action.label} ${l}`,text:t("p",{children:["It will ",r.action.about,". What is on its disks is lost."]}),word:l,action:r.action.
label,onClose:()=>s(null),onYes:()=>{c(r.action.label,p=>Ie(e.uuid,{target:r.action.target},p))},children:[t(tt,{label:"corten",text:`corten node ${r.action.command}\
 ${he(l)}`}),t(tt,{label:"curl",text:ce("PUT",`/v1/nodes/${E(e.uuid)}/states/provision`,{target:r.action.target})})]}),r?.kind==="power"&&t(nt,{title:`${r.label}\
: ${l}`,text:t("p",{children:"The machine is in use. Whatever runs on it stops at once."}),word:l,action:r.label,onClose:()=>s(null),onYes:()=>{c(r.label,p=>nn(
e.uuid,r.target,p))}}),r?.kind==="maintenance"&&t(ul,{name:l,onClose:()=>s(null),onYes:p=>{c("Maintenance",()=>on(e.uuid,!0,p))}}),r?.kind==="remove"&&t(nt,{title:`\
Forget ${l}`,text:t("p",{children:"The service forgets the machine with its ports and its history. The machine itself stays as it is."}),word:l,action:"Forget",
onClose:()=>s(null),onYes:()=>{s(null),j("DELETE",`/v1/nodes/${E(e.uuid)}`).then(()=>{W(`${l} is forgotten.`),ge(P(["nodes"]))},p=>Z(`${l} could not be deleted`,
p))}})]})}function ul({name:e,onClose:n,onYes:o}){let[r,s]=g("");return t(re,{title:`Maintenance of ${e}`,onClose:n,foot:t(T,{children:[t(_,{onClick:n,children:"\
Cancel"}),t(_,{kind:"main",onClick:()=>o(r),children:"Begin maintenance"})]}),children:[t("p",{children:"The service does not work on the machine until maintena\
nce ends."}),t("form",{onSubmit:a=>{a.preventDefault(),o(r)},children:t(H,{label:"Reason",hint:"Others see it.",children:a=>t("input",{id:a,class:"input",autofocus:!0,
value:r,onInput:i=>s(i.currentTarget.value)})})})]})}var Io=["name","uuid","provision_state","target_provision_state","provision_updated_at","power_state","maintenance","fault","resource_class","driver","conductor",
"conductor_group","owner","lessee","instance_uuid","cause"];function dl(e){let n=e==null?"":String(typeof e=="object"?e.sentence??"":e),o=/^[=+\-@\t\r]/.test(n)?
`'${n}`:n;return/[",\n\r]/.test(o)?`"${o.replaceAll('"','""')}"`:o}function pl(e){return e.map(n=>Io.map(o=>dl(n[o])).join(",")+`\r
`).join("")}async function Ts(e,n){try{let o=[Io.join(",")+`\r
`],r=0;for(;;){let s=await Y(`/corten/v1/nodes?q=${E(e)}&sort=${E(n)}&limit=1000&offset=${r}&fields=${Io.join(",")}`);if(o.push(pl(s.nodes)),r+=s.nodes.length,s.
nodes.length===0||r>=s.total)break}un("nodes.csv",new Blob(o,{type:"text/csv"})),W(`${r} rows saved.`)}catch(o){Z("The file could not be made",o)}}function un(e,n){
let o=document.createElement("a");o.href=URL.createObjectURL(n),o.download=e,o.click(),window.setTimeout(()=>URL.revokeObjectURL(o.href),1e4)}function $s({node:e}){let n=`/corten/v1/nodes/${E(e.uuid)}/recorder`,o=D(n,{every:5e3}),[r,s]=g(""),[a,i]=g(!1),l=e.name??e.uuid;return t("div",{class:"stack",children:[
t(ml,{uuid:e.uuid}),t(R,{title:"Flight recorder",actions:t(T,{children:[t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:a,onChange:u=>i(
u.currentTarget.checked)})," failures only"]}),t("input",{class:"input filter","aria-label":"Filter exchanges",placeholder:"Filter",value:r,onInput:u=>s(u.currentTarget.
value)}),t(_,{small:!0,why:o.data.value===void 0||o.data.value.exchanges.length===0?"nothing was recorded":null,onClick:()=>{let u=o.data.value;if(u===void 0)return;
let f=[u.recording,...u.exchanges].map(c=>JSON.stringify(c)+`
`);un(`${l}.jsonl`,new Blob(f,{type:"application/jsonl"}))},children:"Export"}),t(ve,{commands:{corten:`corten node recorder show ${he(l)}`,curl:ce("GET",n)}})]}),
children:t(ee,{doc:o,lines:6,children:u=>t(fl,{all:u.exchanges,filter:r,bad:a})})})]})}function Ot(e){return e.failure!==void 0&&e.failure!==null}function fl({all:e,
filter:n,bad:o}){let[r,s]=g(null),a=n.toLowerCase(),i=e.filter(l=>(!o||Ot(l))&&(a===""||JSON.stringify(l).toLowerCase().includes(a))).sort((l,u)=>Number(Ot(u))-
Number(Ot(l))||u.last.localeCompare(l.last)).slice(0,300);return e.length===0?t(V,{title:"Nothing was said to its BMC yet",children:"Requests to the BMC and the\
ir answers appear here, without passwords."}):i.length===0?t(V,{title:"No exchange matches"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[
t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"last"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"for"}),t("th",{scope:"\
col",class:"num",children:"took"}),t("th",{scope:"col",class:"num",children:"times"}),t("th",{scope:"col"})]})}),t("tbody",{children:i.map((l,u)=>t(T,{children:[
t("tr",{children:[t("td",{children:t(Ae,{at:l.last})}),t("td",{class:Ot(l)?"wrong":"",children:[Ot(l)&&t(z,{look:"failed"})," ",l.summary??JSON.stringify(l.question),
Ot(l)&&t(T,{children:[" \u2014 ",l.failure]})]}),t("td",{children:l.operation??""}),t("td",{class:"num",children:[l.took_ms," ms"]}),t("td",{class:"num",children:l.
count}),t("td",{children:t(_,{small:!0,kind:"quiet",expanded:r===l,onClick:()=>s(r===l?null:l),children:r===l?"Less":"All of it"})})]}),r===l&&t("tr",{children:t(
"td",{colSpan:6,children:t("pre",{class:"json",children:JSON.stringify({question:l.question,answer:l.answer??null},null,2)})})})]},`${l.first}-${u}`))})]})})}function ml({
uuid:e}){let[n,o]=g({busy:!1,error:null,sensors:null}),r=async()=>{o({...n,busy:!0,error:null});try{let s=await Y(`/corten/v1/nodes/${E(e)}/sensors`);o({busy:!1,
error:null,sensors:s.sensors})}catch(s){o({busy:!1,error:Se(s),sensors:null})}};return t(R,{title:"Sensors",actions:t(_,{small:!0,busy:n.busy,onClick:()=>{r()},
children:"Read now"}),children:[n.error!==null&&t(Te,{error:n.error}),n.error===null&&n.sensors===null&&t("p",{class:"faint",children:"The BMC is asked when you\
 press the button."}),n.sensors!==null&&t("div",{class:"scroll-x",children:t("table",{class:"table",children:t("tbody",{children:Object.entries(n.sensors).flatMap(
([s,a])=>Object.entries(a).map(([i,l])=>t("tr",{children:[t("td",{class:"faint",children:s}),t("th",{scope:"row",children:i}),t("td",{children:hl(l)})]},s+i)))})})})]})}
function hl(e){let n=e["Sensor Reading"]??e.reading??e.reading_celsius??e.reading_rpm,o=e.Units??e.reading_units;return n!=null?`${String(n)}${o===void 0?"":` ${String(
o)}`}`:Object.entries(e).filter(([,r])=>typeof r!="object"&&r!==null).slice(0,4).map(([r,s])=>`${r}: ${String(s)}`).join(", ")}var Bo=["firmware","address","loader","script","kernel","ramdisk","agent"],gl={nothing_seen:"firmware",not_ours:"firmware",nothing_to_boot:"firmware",no_address:"\
address",other_server:"address",offer_not_taken:"address",wrong_firmware:"loader",loader_not_asked:"loader",loader_missing:"loader",loader_stalled:"loader",loader_does_not_run:"\
loader",script_not_asked:"script",script_missing:"script",config_not_asked:"script",config_missing:"script",kernel_not_asked:"kernel",kernel_missing:"kernel",file_stalled:"\
kernel",ramdisk_not_asked:"ramdisk",ramdisk_missing:"ramdisk",agent_silent:"agent"},Es=new Set(["booted","from_disk","under_way"]);function Ms({node:e,busy:n}){
let o=D(`/corten/v1/nodes/${E(e.uuid)}/boot-log`,{every:n?2e3:void 0}),r=o.error.value;return r!==void 0&&o.data.value===void 0&&r.status<500&&r.status!==403?t(
V,{title:"Nothing is known about how it boots",children:r.message}):t(ee,{doc:o,lines:6,children:s=>t(vl,{log:s})})}function vl({log:e}){let{cause:n,finding:o,advice:r}=e.
diagnosis,s=gl[n],a=s===void 0?n==="booted"?Bo.length:-1:Bo.indexOf(s);return t("div",{class:"stack",children:[t("section",{class:`panel matter${Es.has(n)?"":" \
matter-bad"}`,"aria-label":"Finding",children:[t("div",{class:"matter-mark",children:Es.has(n)?t(N,{name:"check"}):t(z,{look:"failed"})}),t("div",{class:"matter\
-words",children:[t("h2",{class:"matter-cause",children:o}),r!==""&&t("p",{class:"matter-advice",children:[t("strong",{children:"What to do:"})," ",r]})]})]}),t(
"ol",{class:"ladder","aria-label":"How far it came",children:Bo.map((i,l)=>t("li",{class:`rung ${l<a?"rung-done":l===a?"rung-stop":""}`,children:[l<a?t(N,{name:"\
check"}):l===a?t(z,{look:"failed"}):t(z,{look:"ready"})," ",i]},i))}),t(R,{title:`Events \xB7 ${e.events.length}`,children:e.events.length===0?t("p",{class:"fai\
nt",children:"The machine has not asked for anything."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"at"}),t("th",{scope:"col",children:"port"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",class:"num",children:"times"})]})}),
t("tbody",{children:e.events.map((i,l)=>t("tr",{children:[t("td",{children:t(Ae,{at:i.at})}),t("td",{children:t("code",{children:i.port})}),t("td",{children:i.text}),
t("td",{class:"num",children:i.times})]},l))})]})})})]})}var Oo="corten.reloaded";async function Ps(e){try{let n=await e();return sessionStorage.removeItem(Oo),n}catch(n){throw sessionStorage.getItem(Oo)===null&&(sessionStorage.
setItem(Oo,"yes"),location.reload()),new Error("A part of the page could not be loaded; the service may be of another version now. Load the page again.",{cause:n})}}function Ns(e){let{node:n,me:o,reload:r}=e,[s,a]=g(!1),i=n.name??n.uuid,l=se(o,$e.switchConsole),u=async c=>{a(!0);try{await j("PUT",`/v1/nodes/${E(n.uuid)}/sta\
tes/console`,{enabled:c}),W(c?"The console is being switched on.":"The console is being switched off."),r()}catch(m){Z("The console could not be switched",m)}a(
!1)};if(!n.console_enabled)return t(V,{title:"The console is off",children:[t("p",{children:["The console interface of ",i," is ",t("code",{children:String(n.console_interface)}),
"."]}),t(_,{kind:"main",why:l,busy:s,onClick:()=>{u(!0)},children:"Switch it on"}),t("code",{children:["corten node console enable ",he(i)]})]});let f=se(o,$e.console);
return f!==null?t(V,{title:"You may not use the console",children:f}):kn(bl,{...e,key:n.uuid,onOff:()=>{u(!1)},why:l})}function As(e){return`\r
\x1B[0;7m ${[...e].filter(o=>o>=" "&&o!=="\x7F").join("")} \x1B[0m\r
`}function bl({node:e,onOff:n,why:o}){let r=U(null),s=U(null),a=U(null),i=U(null),l=U(0),[u,f]=g("connecting"),[c,m]=g(!1),[h,d]=g(!1),[p,w]=g(!1),[S,k]=g(null),
[b,v]=g(null),[y,q]=g(""),[x,I]=g(0),$=e.name??e.uuid,O=M=>{i.current?.readyState===WebSocket.OPEN&&i.current.send(new TextEncoder().encode(M))};L(()=>{let M=!1,
K;return Ps(()=>import("./terminal-4PUH3NOJ.js")).then(ne=>{if(M||r.current===null)return;let oe=ne.terminal(r.current,rn.value,p);a.current={tools:ne,...oe},
oe.terminal.onData(O),oe.terminal.attachCustomKeyEventHandler(ue=>ue.type!=="keydown"||!ue.ctrlKey||!ue.altKey||ue.key!=="Escape"?!0:(oe.terminal.blur(),s.current?.
querySelector(".console-bar button")?.focus(),!1)),K=new ResizeObserver(()=>oe.fit.fit()),K.observe(r.current),oe.fit.fit(),oe.terminal.focus(),I(ue=>ue+1)},ne=>k(
Se(ne))),()=>{M=!0,K?.disconnect(),a.current?.terminal.dispose(),a.current=null}},[p]),L(()=>{let M=a.current;if(M===null)return;let K=!1;f("connecting"),k(null);
let ne=location.protocol==="https:"?"wss":"ws",oe=`/corten/v1/nodes/${E(e.uuid)}/console?mode=${h?"read":"write"}`,ue=new WebSocket(`${ne}://${location.host}${oe}`,
["corten.console",`corten.key.${mo()}`]);ue.binaryType="arraybuffer",i.current=ue;let mn=!1;return ue.onopen=()=>{mn=!0,f("open")},ue.onmessage=Ge=>{if(Ge.data instanceof
ArrayBuffer){M.terminal.write(new Uint8Array(Ge.data));return}let De=JSON.parse(String(Ge.data));De.type==="writer"?m(De.writer===!0):De.type==="lost"?M.terminal.
write(As(`${De.bytes??0} characters were lost here`)):De.type==="ended"&&M.terminal.write(As(`The console ended: ${De.reason??""}`))},ue.onclose=()=>{K||(f("end\
ed"),m(!1),mn||yl(oe).then(Ge=>!K&&k(Ge)))},()=>{K=!0,ue.close()}},[x,h,e.uuid]);let C=M=>{rn.value=Math.max(9,Math.min(28,rn.value+M));let K=a.current;K!==null&&
(K.terminal.options.fontSize=rn.value,K.fit.fit())},B=M=>{i.current?.readyState===WebSocket.OPEN&&i.current.send(JSON.stringify({type:M})),a.current?.terminal.focus()},
te=u!=="open"?"the console is not connected":null;return t("div",{class:"console",ref:s,children:[t("div",{class:"console-bar",role:"toolbar","aria-label":"Cons\
ole",children:[t("span",{class:`console-state console-${u}`,role:"status",children:u==="connecting"?"connecting \u2026":u==="ended"?"not connected":h?"you watch":
c?"you type":"another user types"}),u==="ended"&&t(_,{small:!0,kind:"main",onClick:()=>I(x+1),children:"Connect"}),!c&&!h&&u==="open"&&t(_,{small:!0,onClick:()=>B(
"take_over"),children:"Take over"}),t(_,{small:!0,kind:"quiet",why:te??(c?null:"you do not type"),onClick:()=>B("break"),children:"Break"}),t(_,{small:!0,kind:"\
quiet",pressed:h,onClick:()=>d(!h),children:"Read only"}),t(_,{small:!0,kind:"quiet",pressed:p,onClick:()=>w(!p),label:"Text mode, for screen readers",children:"\
Text mode"}),t(_,{small:!0,kind:"quiet",label:"A\u2212: smaller text",onClick:()=>C(-1),children:"A\u2212"}),t(_,{small:!0,kind:"quiet",label:"A+: larger text",
onClick:()=>C(1),children:"A+"}),t("form",{class:"console-find",onSubmit:M=>{M.preventDefault();let K=a.current;if(K===null||y==="")return;let ne=K.tools.find(K.
terminal,y,l.current===0?K.terminal.buffer.active.length:l.current);ne<0?W("Not found."):l.current=ne},children:t("input",{class:"input filter","aria-label":"Se\
arch the output",placeholder:"Search",value:y,onInput:M=>{l.current=0,q(M.currentTarget.value)}})}),t("span",{class:"spring"}),t(_,{small:!0,kind:"quiet",onClick:()=>a.
current!==null&&un(`${$}.txt`,new Blob([a.current.tools.textOf(a.current.terminal)],{type:"text/plain"})),children:"Save"}),t(_,{small:!0,kind:"quiet",onClick:()=>{
s.current?.requestFullscreen?.()},children:"Full screen"}),t(ve,{commands:{corten:`corten node console ${he($)}`,curl:`# a WebSocket: ${location.host}/corten/v1\
/nodes/${e.uuid}/console`}}),t(_,{small:!0,kind:"quiet",why:o,onClick:n,children:"Switch off"})]}),S!==null&&t(Te,{error:S}),t("div",{class:"console-screen",ref:r,
onPasteCapture:M=>{let K=M.clipboardData?.getData("text")??"";/[\r\n]/.test(K.trimEnd())&&(M.preventDefault(),M.stopPropagation(),v(K))}}),t("p",{class:"faint c\
onsole-hint",children:[t("kbd",{children:"Ctrl"})," ",t("kbd",{children:"Alt"})," ",t("kbd",{children:"Esc"})," gives the keyboard back to the page."]}),b!==null&&
t(re,{title:"Paste several lines?",onClose:()=>v(null),foot:t(T,{children:[t(_,{onClick:()=>v(null),children:"Cancel"}),t(_,{kind:"main",onClick:()=>{a.current?.
terminal.paste(b),v(null)},children:"Paste"})]}),children:[t("p",{children:"Each line may run a command on the machine."}),t("pre",{class:"json",children:b})]})]})}
async function yl(e){try{await j("GET",e)}catch(n){let o=Se(n);if(o.status!==426)return o}return Se(new Error("The console cannot be joined now: the machine or \
its BMC does not offer it."))}function Rs({plan:e,hint:n,wrong:o,onHint:r}){let s=e?.disks??null;return t("fieldset",{class:"choice",children:[t("legend",{children:"Disk"}),s===null?t("p",{class:"\
faint",children:"The machine was not inspected, so its disks are not known. Without a hint the service takes the smallest disk that fits."}):t("div",{class:"dis\
ks",children:s.map(a=>{let i=a.hint===null?null:JSON.stringify(a.hint);return t("label",{class:`disk${a.fits===!0?" disk-fits":""}`,children:[t("input",{type:"r\
adio",name:"disk",checked:i!==null&&i===n,disabled:i===null,onChange:()=>i!==null&&r(i)}),t("span",{children:[t("strong",{children:a.name.replace("/dev/","")}),
" ",Re(a.size)," ",a.rotational===!0?"spinning":a.rotational===!1?"SSD":""," ",t("span",{class:"faint",children:a.model??""}),a.fits===!0&&t("span",{class:"chip",
children:"the hint means this one"})]})]},a.name)})}),t(H,{label:"Root device hint",error:o??e?.root_device?.error,hint:"Empty: the service chooses.",children:a=>t(
"input",{id:a,class:"input",spellcheck:!1,placeholder:'{"size": ">= 900"}',value:n,onInput:i=>r(i.currentTarget.value)})})]})}function Ls({plan:e,error:n,asked:o,
changes:r,ident:s}){return t("section",{class:`plan${o?" plan-old":""}`,"aria-label":"Plan","aria-busy":o,children:[t("h3",{children:"Plan"}),e===null&&n===null&&
t(Ce,{lines:3}),n!==null&&t("p",{class:"wrong",children:n.message}),e!==null&&t(T,{children:[t("p",{class:e.is_accepted?"good":"wrong",children:[e.is_accepted?t(
N,{name:"check"}):t(z,{look:"failed"})," ",e.is_accepted?"accepted":e.refusal?.text??"refused"]}),e.states.length>0&&t("p",{class:"plan-states",children:e.states.
map((a,i)=>t("span",{children:[i>0&&" \u2192 ",a]},i))}),e.steps.length>0&&t("ol",{class:"plan-steps",children:e.steps.map((a,i)=>t("li",{children:[a.interface,
".",a.step," ",t("span",{class:"faint",children:["(",a.source,")"]})]},i))}),e.more_steps!==null&&t("p",{class:"faint",children:e.more_steps}),(e.validation??[]).
filter(a=>a.result===!1).map(a=>t("p",{class:"wrong",children:[t(z,{look:"failed"})," ",a.interface,": ",a.reason," ",t("a",{href:P(["nodes",s],{tab:"settings"}),
children:"set it"})]},a.interface))]}),r.length>0&&t("p",{class:"faint",children:["Before that, ",r.length===1?"one field of the node is written":`${r.length} f\
ields of the node are written`,": ",r.map(a=>a.path.slice(1)).join(", "),". The plan takes the node as it is now."]})]})}var _l=400;function Ds({action:e,node:n,me:o,onClose:r,reload:s}){let a=n.instance_info,i=A=>typeof a[A]=="string"?a[A]:"",l=i("image_os_hash_value")!==""?`${i(
"image_os_hash_algo")}:${i("image_os_hash_value")}`:i("image_checksum"),[u,f]=g(i("image_source")),[c,m]=g(l===""&&i("image_source")!==""?"none":/^\w+:\/\//.test(
l)?"file":"checksum"),[h,d]=g(l),[p,w]=g(JSON.stringify(n.properties.root_device??{})==="{}"?"":JSON.stringify(n.properties.root_device)),[S,k]=g("none"),[b,v]=g(
""),[y,q]=g(""),[x,I]=g(""),[$,O]=g(""),[C,B]=g(""),[te,M]=g({plan:null,error:null,asked:!0}),[K,ne]=g(!1),oe=n.name??n.uuid,ue=e.verb==="deploy"||e.verb==="reb\
uild",mn=ue||e.verb==="clean"||e.verb==="service",Ge=D(e.verb==="clean"||e.verb==="service"?"/v1/runbooks":null),De=qo(y),qt=qo(p===""?"{}":p),Yo=y!==""&&!Array.
isArray(De)?'Steps are a JSON list, such as [{"interface": "deploy", "step": "\u2026", "args": {}}].':null,Qo=p!==""&&(typeof qt!="object"||qt===null)?'Hints ar\
e a JSON object, such as {"wwn": "0x\u2026"}.':null,Sa=()=>{if(!(!ue||S==="none"||b===""))return S==="user data"?{user_data:b}:S==="JSON"?qo(b)??void 0:b},hn=()=>{
let A={target:e.target},Q=Sa();return Q!==void 0&&(A.configdrive=Q),x!==""?A.runbook=x:Array.isArray(De)&&(De.length>0||e.verb==="clean"||e.verb==="service")&&(A[e.
verb==="clean"?"clean_steps":e.verb==="service"?"service_steps":"deploy_steps"]=De),e.verb==="rescue"&&(A.rescue_password=$),A},Ca=()=>{if(!ue)return[];let A=[],
Q=(Kn,Vn)=>{i(Kn)!==Vn&&A.push(Vn===""?{op:"remove",path:`/instance_info/${Kn}`}:{op:"add",path:`/instance_info/${Kn}`,value:Vn})};Q("image_source",u);let[at,Ma]=wl(
h);c==="checksum"&&at!==null?(Q("image_os_hash_algo",at),Q("image_os_hash_value",Ma),Q("image_checksum","")):(Q("image_checksum",c==="none"?"":h),Q("image_os_ha\
sh_algo",""),Q("image_os_hash_value",""));let Xo=n.properties.root_device;return p===""&&Xo!==void 0?A.push({op:"remove",path:"/properties/root_device"}):p!==""&&
qt!==null&&JSON.stringify(Xo)!==JSON.stringify(qt)&&A.push({op:"add",path:"/properties/root_device",value:qt}),A},Zo=JSON.stringify(hn());L(()=>{M(Q=>({...Q,asked:!0}));
let A=window.setTimeout(()=>{j("POST",`/corten/v1/nodes/${E(n.uuid)}/plan`,JSON.parse(Zo)).then(Q=>M({plan:Q,error:null,asked:!1}),Q=>M({plan:null,error:Se(Q),asked:!1}))},
_l);return()=>window.clearTimeout(A)},[Zo,n.updated_at]);let Ft=Ca(),Ta=Lt(n,e,o)??Yo??Qo??(e.verb==="rescue"&&$===""?"a password is missing":null)??((e.verb===
"clean"||e.verb==="service")&&y===""&&x===""?"steps or a runbook are missing":null)??(e.destroys===!0&&C!==oe?`type ${oe} first`:null),$a=async()=>{ne(!0);try{Ft.
length>0&&await Dt(n.uuid,Ft),await Ie(n.uuid,hn(),A=>W(`Waiting: ${A.message}`)),u!==""&&(Fn.value=[u,...Fn.value.filter(A=>A!==u)].slice(0,8)),W(`${e.label}: \
asked for.`),s(),r()}catch(A){Z(`${e.label} was refused`,A),s()}ne(!1)},Ea=[...Ft.length>0?[`corten node set ${he(oe)}${Ft.filter(A=>A.op==="add").map(A=>` ${A.
path.startsWith("/properties/")?"--property":"--instance-info"} ${he(`${A.path.split("/")[2]??""}=${typeof A.value=="string"?A.value:JSON.stringify(A.value)}`)}`).
join("")}`]:[],`corten node ${e.command} ${he(oe)}`].join(" && ");return t(re,{wide:!0,title:`${e.label} ${oe}`,onClose:r,foot:t(T,{children:[t("span",{class:"s\
pring"}),t(_,{onClick:r,children:"Cancel"}),t(_,{kind:e.destroys===!0?"danger":"main",why:Ta,busy:K,onClick:()=>{$a()},children:e.label})]}),children:t("div",{class:"\
form",children:[ue&&t(T,{children:[t(H,{label:"Image",hint:"Address of a disk image, or the id of one in Glance.",children:(A,Q)=>t(T,{children:[t("input",{id:A,
class:"input",list:"lately",autofocus:!0,spellcheck:!1,"aria-describedby":Q,placeholder:"https://images.example/debian-13.qcow2",value:u,onInput:at=>f(at.currentTarget.
value.trim())}),t("datalist",{id:"lately",children:Fn.value.map(at=>t("option",{value:at},at))})]})}),t("fieldset",{class:"choice",children:[t("legend",{children:"\
Checksum"}),t("div",{class:"segmented",children:["checksum","file","none"].map(A=>t("label",{children:[t("input",{type:"radio",name:"sum",checked:c===A,onChange:()=>m(
A)}),t("span",{children:A==="checksum"?"value":A==="file"?"checksum file":"none (not advised)"})]},A))}),c!=="none"&&t("input",{class:"input","aria-label":c==="\
file"?"Address of the checksum file":"Checksum",spellcheck:!1,placeholder:c==="file"?"https://images.example/SHA256SUMS":"sha256:\u2026",value:h,onInput:A=>d(A.
currentTarget.value.trim())})]}),t(Rs,{plan:te.plan,hint:p,wrong:Qo,onHint:w}),t("fieldset",{class:"choice",children:[t("legend",{children:"Config drive"}),t("d\
iv",{class:"segmented",children:["none","user data","JSON","address"].map(A=>t("label",{children:[t("input",{type:"radio",name:"drive",checked:S===A,onChange:()=>k(
A)}),t("span",{children:A})]},A))}),S!=="none"&&t("textarea",{class:"area","aria-label":`Config drive: ${S}`,spellcheck:!1,value:b,onInput:A=>v(A.currentTarget.
value)})]})]}),e.verb==="rescue"&&t(H,{label:"Password of the rescue system",children:A=>t("input",{id:A,class:"input",type:"password",autofocus:!0,autocomplete:"\
new-password",value:$,onInput:Q=>O(Q.currentTarget.value)})}),(Ge.data.value?.runbooks.length??0)>0&&t(H,{label:"Runbook",children:A=>t("select",{id:A,class:"se\
lect",value:x,onChange:Q=>I(Q.currentTarget.value),children:[t("option",{value:"",children:"none: steps below"}),Ge.data.value?.runbooks.map(Q=>t("option",{value:Q.
name,children:Q.name},Q.uuid))]})}),mn&&x===""&&t("details",{open:y!==""||e.verb==="clean"||e.verb==="service",children:[t("summary",{children:["Steps",ue?" bes\
ides the usual ones":""]}),t(H,{label:"Steps as JSON",error:Yo,hint:'[{"interface": "deploy", "step": "erase_devices_metadata"}]',children:A=>t("textarea",{id:A,
class:"area",spellcheck:!1,value:y,onInput:Q=>q(Q.currentTarget.value)})})]}),t(Ls,{...te,changes:Ft,ident:oe}),e.destroys===!0&&t(H,{label:`What is on its disk\
s is lost. Type ${oe} to go on`,children:A=>t("input",{id:A,class:"input",autocomplete:"off",spellcheck:!1,value:C,onInput:Q=>B(Q.currentTarget.value)})}),t("de\
tails",{children:[t("summary",{children:"Show command"}),t("div",{class:"stack",children:[t(tt,{label:"corten",text:Ea}),t(tt,{label:"curl",text:ce("PUT",`/v1/n\
odes/${E(n.uuid)}/states/provision`,e.verb==="rescue"?{...hn(),rescue_password:"\u2026"}:hn())})]})]})]})})}function qo(e){if(e.trim()==="")return[];try{return JSON.
parse(e)}catch{return null}}function wl(e){let n=/^(sha\d+|md5):(.+)$/i.exec(e);return n===null?[null,e]:[(n[1]??"").toLowerCase(),n[2]??""]}var kl={timeline:"timeline",boot_log:"boot",recorder:"bmc",history:"history",validation:"settings"},xl={failed:"It failed",fault:"The service found a fault",stuck:"\
It waits for too long",error:"The last thing asked of it failed",maintenance:"It is in maintenance",held:"It is held"};function Is({diagnosis:e,node:n}){let o=xl[e.
kind];if(o===void 0)return null;let r=n.name??n.uuid,s=e.kind!=="maintenance"&&e.kind!=="held";return t("section",{class:`panel matter${s?" matter-bad":""}`,"ar\
ia-label":"What is the matter",children:[t("div",{class:"matter-mark",children:s?t(z,{look:"failed"}):t(N,{name:"pause"})}),t("div",{class:"matter-words",children:[
t("p",{class:"matter-kind",children:[o,e.since!==null&&t(T,{children:[" ","since ",t(Ae,{at:e.since})," (",ke(e.since),")"]})]}),t("h2",{class:"matter-cause",children:e.
cause?.sentence??e.meaning}),e.cause?.sentence!==void 0&&e.cause!==null&&t("p",{class:"faint",children:e.meaning}),e.cause?.advice!==null&&e.cause?.advice!==void 0&&
t("p",{class:"matter-advice",children:[t("strong",{children:"What to do:"})," ",e.cause.advice,e.cause.docs!==null&&t(T,{children:[" ","More in ",t("code",{children:e.
cause.docs}),"."]})]}),e.finding!==null&&t("blockquote",{class:"finding",children:e.finding}),e.maintenance!==null&&t("p",{children:[e.maintenance.reason!==null&&
e.maintenance.reason!==""?`Maintenance: ${e.maintenance.reason}. `:"No reason for the maintenance was given. ",e.maintenance.fault!==null&&`Fault: ${e.maintenance.
fault}.`]}),e.waiting!==null&&t("p",{children:["Waits ",ke(e.waiting.since)," for ",e.waiting.for,"."]}),e.evidence.length>0&&t("ul",{class:"evidence","aria-lab\
el":"Evidence",children:e.evidence.map(a=>t("li",{children:[t("a",{href:P(["nodes",r],{tab:kl[a.kind]??"json"}),children:a.kind.replace("_"," ")})," ",a.text]},
a.kind+a.text))})]})]})}function ie(e){return e==null?"":String(e)}function Fo({doc:e,none:n,children:o}){let r=e.data.value,s=e.error.value;return r!==void 0?t(T,{children:o(r)}):s===
void 0?t(Ce,{lines:3}):s.status===404||s.status===400?t("p",{class:"faint",children:n}):t(Te,{error:s,retry:e.reload})}function Os({node:e}){let n=`/v1/nodes/${E(
e.uuid)}`,o=D(`${n}/inventory`),r=D(`${n}/firmware`),s=D(`${n}/management/boot_device`),a=D(`${n}/management/indicators`);return t("div",{class:"stack",children:[
t(R,{title:"Inventory",level:3,children:t(Fo,{doc:o,none:"The machine was not inspected yet. Inspect finds out what hardware it has; it must be manageable for t\
hat.",children:i=>t(Sl,{inventory:i.inventory})})}),t("div",{class:"cards",children:[t(R,{title:"Boot",level:3,children:t(_e,{all:!0,rows:[["Boot device",s.data.
value?.boot_device==null?s.error.value?.message??null:`${s.data.value.boot_device}${s.data.value.persistent===!0?", always":", once"}`],["Boot mode",e.boot_mode],
["Secure boot",e.secure_boot===null?null:e.secure_boot===!0?"on":"off"]]})}),t(R,{title:"Firmware",level:3,children:t(Fo,{doc:r,none:"The driver does not tell a\
bout firmware.",children:i=>i.firmware.length===0?t("p",{class:"faint",children:"No components are known."}):t("table",{class:"table",children:t("tbody",{children:i.
firmware.map(l=>t("tr",{children:[t("th",{scope:"row",children:ie(l.component)}),t("td",{children:ie(l.current_version)}),t("td",{class:"faint",children:ie(l.last_version_flashed)})]},
ie(l.component)))})})})}),t(R,{title:"RAID",level:3,children:[t(Bs,{title:"Now",config:e.raid_config}),t(Bs,{title:"Wanted",config:e.target_raid_config})]}),t(R,
{title:"Indicators",level:3,children:t(Fo,{doc:a,none:"The BMC has none.",children:i=>i.indicators.length===0?t("p",{class:"faint",children:"The BMC has none."}):
t("table",{class:"table",children:t("tbody",{children:i.indicators.map(l=>t("tr",{children:[t("th",{scope:"row",children:ie(l.name)}),t("td",{children:ie(l.component)}),
t("td",{class:"faint",children:l.readonly===!0?"to read":"can be set"})]},ie(l.name)))})})})})]})]})}function Bs({title:e,config:n}){let o=n.logical_disks;return t(
"div",{children:[t("h4",{class:"sub",children:e}),!Array.isArray(o)||o.length===0?t("p",{class:"faint",children:e==="Now"?"No logical disks are known.":"Nothing\
 is wanted."}):t("ul",{children:o.map((r,s)=>t("li",{children:["RAID ",ie(r.raid_level),", ",ie(r.size_gb)," GB ",r.is_root_volume===!0&&t("span",{class:"chip",
children:"root"})]},s))})]})}function Sl({inventory:e}){let{cpu:n,memory:o,disks:r=[],interfaces:s=[],system_vendor:a}=e;return t("div",{class:"stack",children:[
t(_e,{rows:[["Machine",[a?.manufacturer,a?.product_name].filter(Boolean).join(" ")],["Serial",a?.serial_number],["CPU",n===void 0?null:`${ie(n.count)} \xD7 ${ie(
n.model_name??n.architecture)}`],["Memory",o?.physical_mb===void 0?null:Re(o.physical_mb*1048576)],["BMC",e.bmc_address],["Boot mode",ie(e.boot?.current_boot_mode)]]}),
r.length===0?t(V,{title:"No disks were found"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("caption",{class:"hidden-text",children:"\
Disks"}),t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"disk"}),t("th",{scope:"col",class:"num",children:"size"}),t("th",{scope:"col",children:"\
model"}),t("th",{scope:"col",children:"kind"}),t("th",{scope:"col",children:"serial"}),t("th",{scope:"col",children:"WWN"})]})}),t("tbody",{children:r.map(i=>t(
"tr",{children:[t("th",{scope:"row",children:ie(i.name)}),t("td",{class:"num",children:typeof i.size=="number"?Re(i.size):""}),t("td",{children:[i.vendor,i.model].
filter(Boolean).map(String).join(" ")}),t("td",{children:i.rotational===!0?"spinning":i.rotational===!1?"SSD":""}),t("td",{children:t("code",{children:ie(i.serial)})}),
t("td",{children:t("code",{children:ie(i.wwn)})})]},ie(i.name)))})]})}),t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("caption",{class:"\
hidden-text",children:"Network interfaces"}),t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"interface"}),t("th",{scope:"col",children:"MAC"}),
t("th",{scope:"col",children:"address"}),t("th",{scope:"col",children:"link"}),t("th",{scope:"col",children:"product"})]})}),t("tbody",{children:s.map(i=>t("tr",
{children:[t("th",{scope:"row",children:ie(i.name)}),t("td",{children:t("code",{children:ie(i.mac_address)})}),t("td",{children:ie(i.ipv4_address)}),t("td",{children:i.
has_carrier===!0?"up":i.has_carrier===!1?"down":""}),t("td",{class:"faint",children:[ie(i.vendor)," ",ie(i.product)]})]},ie(i.name)+ie(i.mac_address)))})]})})]})}function qs({node:e}){let n=D(`/v1/nodes/${E(e.uuid)}/history?detail=True`,{on:i=>i.node===e.uuid,atMost:2e3}),[o,r]=g("all"),[s,a]=g("");return t(R,{title:"His\
tory",level:3,actions:t(T,{children:[t("select",{class:"select","aria-label":"Severity",value:o,onChange:i=>r(i.currentTarget.value),children:[t("option",{value:"\
all",children:"all"}),t("option",{value:"ERROR",children:"errors"}),t("option",{value:"INFO",children:"information"})]}),t("input",{class:"input filter","aria-l\
abel":"Filter history",placeholder:"Filter",value:s,onInput:i=>a(i.currentTarget.value)})]}),children:t(ee,{doc:n,lines:6,children:i=>{let l=s.toLowerCase(),u=i.
history.filter(f=>(o==="all"||f.severity===o)&&f.event.toLowerCase().includes(l)).reverse();return u.length===0?t(V,{title:i.history.length===0?"Nothing happene\
d yet":"No entry matches"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
at"}),t("th",{scope:"col",children:"severity"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"who"})]})}),t("tbody",{children:u.map(f=>t("\
tr",{children:[t("td",{class:"nowrap",children:t(Ae,{at:f.created_at})}),t("td",{class:f.severity==="ERROR"?"wrong":"faint",children:f.severity.toLowerCase()}),
t("td",{class:"wrap",children:f.event}),t("td",{children:f.user??f.conductor??""})]},f.uuid))})]})})}})})}function Fs({node:e}){let n=JSON.stringify(e,null,2);return t(
R,{title:`GET /v1/nodes/${e.uuid}`,level:3,actions:t(At,{text:n,label:"Copy the document"}),children:t("pre",{class:"json",tabIndex:0,children:n})})}var dn=["enroll","manageable","available","active","rescue"],Cl={verifying:["enroll","manageable"],inspecting:["manageable","manageable"],"inspect wait":["manag\
eable","manageable"],"inspect failed":["manageable","manageable"],adopting:["manageable","active"],"adopt failed":["manageable","active"],cleaning:["manageable",
"available"],"clean wait":["manageable","available"],"clean failed":["manageable","available"],"clean hold":["manageable","available"],deploying:["available","a\
ctive"],"wait call-back":["available","active"],"deploy failed":["available","active"],"deploy hold":["available","active"],deleting:["active","available"],error:[
"active","available"],rescuing:["active","rescue"],"rescue wait":["active","rescue"],"rescue failed":["active","rescue"],unrescuing:["rescue","active"],"unrescu\
e failed":["rescue","active"],servicing:["active","active"],"service wait":["active","active"],"service failed":["active","active"],"service hold":["active","ac\
tive"]};function Tl(e,n){let o=dn.indexOf(e);if(o>=0)return dn.map((c,m)=>({state:c,kind:m<o?"past":m===o?"here":"to come"}));let[r,s]=Cl[e]??["enroll","managea\
ble"],a=n??Me[e]?.target??s,[i,l]=[dn.indexOf(r),dn.indexOf(s)],u=Math.min(i,l),f=[];for(let[c,m]of dn.entries())f.push({state:m,kind:m===a?"target":c<=u?"past":
"to come"}),c===u&&f.push({state:e,kind:"here"});return f}function Ws({node:e}){let n=Tl(e.provision_state,e.target_provision_state);return t("ol",{class:"life",
"aria-label":`Life: ${e.provision_state}${e.target_provision_state===null?"":`, on the way to ${e.target_provision_state}`}`,children:n.map(o=>t("li",{class:`st\
op stop-${o.kind.replace(" ","-")}${o.kind==="here"?` here-${Mt(o.state)}`:""}`,"aria-current":o.kind==="here"?"step":void 0,children:[t("span",{class:"stop-mar\
k",children:o.kind==="here"?t(z,{look:Mt(o.state)}):t("i",{})}),t("span",{class:"stop-word",children:o.state}),o.kind==="target"&&t("span",{class:"stop-note",children:"\
target"})]},o.state))})}function js({node:e,me:n}){let o=`/v1/nodes/${E(e.uuid)}`,r=d=>d.node===e.uuid,s=D(`/v1/ports/detail?node=${E(e.uuid)}`,{on:r}),a=D(`/v1/portgroups/detail?node=${E(
e.uuid)}`,{on:r}),i=D(`${o}/vifs`,{on:r}),l=D(`/v1/volume/targets?node=${E(e.uuid)}&detail=True`),u=D(`/v1/volume/connectors?node=${E(e.uuid)}&detail=True`),[f,
c]=g(null),[m,h]=g(null);return t("div",{class:"stack",children:[t(R,{title:"Ports",level:3,actions:t(_,{small:!0,why:se(n,"baremetal:port:create"),onClick:()=>c(
"new"),children:[t(N,{name:"plus"})," Add"]}),children:t(ee,{doc:s,children:d=>d.ports.length===0?t("p",{class:"faint",children:"No ports. A machine that boots \
from the network needs one with its MAC address."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"MAC"}),t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"boots"}),t("th",{scope:"col",children:"network"}),t("th",
{scope:"col",children:"switch"}),t("th",{scope:"col"})]})}),t("tbody",{children:d.ports.map(p=>t("tr",{children:[t("th",{scope:"row",children:t("code",{children:p.
address})}),t("td",{children:p.name??""}),t("td",{children:p.pxe_enabled?"yes":"no"}),t("td",{children:p.physical_network??""}),t("td",{class:"faint",children:[
p.local_link_connection.switch_info,p.local_link_connection.port_id].filter(Boolean).map(String).join(" ")}),t("td",{class:"nowrap",children:[t(_,{small:!0,kind:"\
quiet",label:`Change ${p.address}`,why:se(n,"baremetal:port:update"),onClick:()=>c(p),children:"Change"}),t(_,{small:!0,kind:"quiet",label:`Delete ${p.address}`,
why:se(n,"baremetal:port:delete"),onClick:()=>h(p),children:"Delete"})]})]},p.uuid))})]})})})}),t("div",{class:"cards",children:[t(jn,{title:"Port groups",none:"\
No ports are bonded.",rows:a.data.value?.portgroups.map(d=>[String(d.name??d.uuid),`${String(d.mode??"")} ${String(d.address??"")}`]),error:a.error.value?.message}),
t(jn,{title:"Attached networks (VIFs)",none:"No network is attached.",rows:i.data.value?.vifs.map(d=>[d.id,""]),error:i.error.value?.message}),t(jn,{title:"Volu\
me connectors",none:"No connectors.",rows:u.data.value?.connectors.map(d=>[String(d.type),String(d.connector_id)]),error:u.error.value?.message}),t(jn,{title:"V\
olume targets",none:"No volumes.",rows:l.data.value?.targets.map(d=>[String(d.volume_type),`${String(d.volume_id)}, boot index ${String(d.boot_index)}`]),error:l.
error.value?.message})]}),f!==null&&t(El,{node:e.uuid,port:f==="new"?null:f,onClose:()=>c(null),onDone:()=>{c(null),s.reload()}}),m!==null&&t(nt,{title:`Delete \
port ${m.address}`,text:t("p",{children:"The machine is not recognised by this address any more."}),word:m.address,action:"Delete",onClose:()=>h(null),onYes:()=>{
j("DELETE",`/v1/ports/${E(m.uuid)}`).then(()=>{W("The port is deleted."),h(null),s.reload()},d=>Z("The port could not be deleted",d))}})]})}function jn({title:e,
none:n,rows:o,error:r}){return t(R,{title:e,level:3,children:r!==void 0?t("p",{class:"faint",children:r}):o===void 0||o.length===0?t("p",{class:"faint",children:n}):
t("table",{class:"table",children:t("tbody",{children:o.map(([s,a])=>t("tr",{children:[t("th",{scope:"row",children:s}),t("td",{children:a})]},s+a))})})})}var $l=/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i;
function El({node:e,port:n,onClose:o,onDone:r}){let[s,a]=g(n?.address??""),[i,l]=g(n?.physical_network??""),[u,f]=g(n?.pxe_enabled??!0),c=s!==""&&!$l.test(s)?"A\
 MAC address has six pairs, such as 52:54:00:12:34:56.":null,m=async()=>{try{if(n===null)await j("POST","/v1/ports",{node_uuid:e,address:s,pxe_enabled:u,...i===
""?{}:{physical_network:i}});else{let h=[{op:"replace",path:"/address",value:s},{op:"replace",path:"/pxe_enabled",value:u},i===""?{op:"remove",path:"/physical_n\
etwork"}:{op:"add",path:"/physical_network",value:i}];await j("PATCH",`/v1/ports/${E(n.uuid)}`,h)}W(n===null?"The port is added.":"The port is changed."),r()}catch(h){
Z("The port was refused",h)}};return t(re,{title:n===null?"Add a port":`Port ${n.address}`,onClose:o,foot:t(T,{children:[t(_,{onClick:o,children:"Cancel"}),t(_,
{kind:"main",why:s===""?"a MAC address is missing":c,onClick:()=>{m()},children:n===null?"Add":"Change"})]}),children:[t(H,{label:"MAC address",error:c,children:h=>t(
"input",{id:h,class:"input",autofocus:!0,spellcheck:!1,value:s,onInput:d=>a(d.currentTarget.value.trim())})}),t(H,{label:"Physical network",hint:"Empty if you h\
ave only one.",children:h=>t("input",{id:h,class:"input",value:i,onInput:d=>l(d.currentTarget.value.trim())})}),t("label",{class:"check-line",children:[t("input",
{type:"checkbox",checked:u,onChange:h=>f(h.currentTarget.checked)})," the machine may boot from it"]})]})}function Us({node:e,me:n,reload:o}){let[r,s]=g(null),a=D(`/v1/nodes/${E(e.uuid)}/children`),i=e.name??e.uuid,l=se(n,$e.update),u=(m,h)=>t(_,{small:!0,kind:"quie\
t",why:l,onClick:()=>s(m),label:`${h} of ${i}`,children:h}),f=e.instance_info.image_source,c=()=>{s(null),o()};return t("div",{class:"cards",children:[t(R,{title:"\
Identity",level:3,actions:t(ve,{commands:{corten:`corten node show ${he(i)}`,curl:ce("GET",`/v1/nodes/${E(e.uuid)}`)}}),children:t(_e,{rows:[["Name",t("span",{class:"\
edited",children:[e.name??"\u2013"," ",u("name","Rename")]})],["UUID",t("code",{children:e.uuid})],["Resource class",t("span",{class:"edited",children:[e.resource_class??
"\u2013"," ",u("class","Change")]})],["Driver",e.driver],["Conductor",e.conductor],["Group",e.conductor_group],["Enrolled",t(Pe,{at:e.created_at,ago:!0})],["Des\
cription",t("span",{class:"edited",children:[e.description??"\u2013"," ",u("description","Edit")]})]]})}),t(R,{title:"In use by",level:3,children:[e.instance_uuid===
null&&f===void 0?t("p",{class:"faint",children:e.provision_state==="active"?"No instance or image is recorded.":"No instance. Deploy writes an image to the mach\
ine and boots it."}):t(_e,{rows:[["Instance",e.instance_uuid===null?null:t("code",{children:e.instance_uuid})],["Name",e.instance_name],["Image",typeof f=="stri\
ng"?t("code",{children:f}):null],["Allocation",e.allocation_uuid===null?null:t("a",{href:P(["allocations"]),children:e.allocation_uuid})]]}),t(_e,{rows:[["Owner",
t("span",{class:"edited",children:[e.owner??"\u2013"," ",u("owner","Change")]})],["Lessee",e.lessee]]})]}),t(R,{title:"Traits",level:3,actions:u("traits","Edit"),
children:e.traits.length===0?t("p",{class:"faint",children:"None. Allocations can ask for traits."}):t("ul",{class:"chips",children:e.traits.map(m=>t("li",{class:"\
chip",children:m},m))})}),t(R,{title:"Safety",level:3,children:t(_e,{rows:[["Protected",t("span",{class:"edited",children:[e.protected?`yes${e.protected_reason===
null?"":`: ${e.protected_reason}`}`:"no"," ",u("protection",e.protected?"End":"Protect")]})],["Retired",t("span",{class:"edited",children:[e.retired?`yes${e.retired_reason===
null?"":`: ${e.retired_reason}`}`:"no"," ",u("retirement",e.retired?"End":"Retire")]})],["Automated clean",e.automated_clean===null?"as configured":String(e.automated_clean)]]})}),
t(R,{title:"Kin",level:3,children:t(_e,{all:!0,rows:[["Parent",e.parent_node===null?null:t("a",{href:P(["nodes",e.parent_node]),children:e.parent_node})],["Chil\
dren",(a.data.value?.children.length??0)===0?null:t("ul",{class:"chips",children:a.data.value?.children.map(m=>t("li",{children:t("a",{href:P(["nodes",m]),children:m.
slice(0,8)})},m))})],["Chassis",e.chassis_uuid===null?null:t("code",{children:String(e.chassis_uuid)})],["Shard",e.shard]]})}),t(R,{title:"Properties",level:3,children:[
t(_e,{rows:Object.entries(e.properties).map(([m,h])=>[m,typeof h=="object"?t("code",{children:JSON.stringify(h)}):String(h)])}),Object.keys(e.extra).length>0&&t(
T,{children:[t("h4",{class:"sub",children:"Extra"}),t(_e,{rows:Object.entries(e.extra).map(([m,h])=>[m,typeof h=="object"?t("code",{children:JSON.stringify(h)}):
String(h)])})]})]}),r!==null&&t(Ml,{what:r,node:e,onClose:()=>s(null),onDone:c})]})}function Ml({what:e,node:n,onClose:o,onDone:r}){let s={name:n.name??"",class:n.
resource_class??"",description:n.description??"",owner:n.owner??"",traits:n.traits.join(`
`),protection:n.protected_reason??"",retirement:n.retired_reason??""},a={name:["Name",""],class:["Resource class","Allocations and Nova choose machines by it."],
description:["Description","Up to 4,096 characters; everybody who sees the node sees it."],owner:["Owner","Id of the project that owns the machine."],traits:["T\
raits, one a line","Standard traits, or CUSTOM_ and capitals."],protection:["Reason",n.protected?"Undeploy and rebuild will be possible again.":"Undeploy and re\
build will be refused."],retirement:["Reason",n.retired?"The machine can be offered again.":"The machine is not offered any more."]},[i,l]=g(s[e]),u=(p,w)=>w===
""?{op:"remove",path:p}:{op:"add",path:p,value:w},f=()=>{if(e==="name")return[u("/name",i)];if(e==="class")return[u("/resource_class",i)];if(e==="description")return[
u("/description",i)];if(e==="owner")return[u("/owner",i)];let[p,w,S]=e==="protection"?["/protected","/protected_reason",n.protected]:["/retired","/retired_reaso\
n",n.retired];return S?[{op:"replace",path:p,value:!1}]:[{op:"replace",path:p,value:!0},...i===""?[]:[u(w,i)]]},c=async()=>{try{if(e==="traits"){let p=i.split(/\s+/).
filter(w=>w!=="");await j("PUT",`/v1/nodes/${E(n.uuid)}/traits`,{traits:p})}else await Dt(n.uuid,f());W("Changed."),r()}catch(p){Z("The change was refused",p)}},
m=e==="protection"&&n.protected||e==="retirement"&&n.retired,[h,d]=a[e];return t(re,{title:e==="protection"?m?"End protection":"Protect":e==="retirement"?m?"End\
 retirement":"Retire":h,onClose:o,foot:t(T,{children:[t(_,{onClick:o,children:"Cancel"}),t(_,{kind:"main",onClick:()=>{c()},children:"Change"})]}),children:t("f\
orm",{onSubmit:p=>{p.preventDefault(),c()},children:m?t("p",{children:d}):t(H,{label:h,hint:d,children:p=>e==="traits"||e==="description"?t("textarea",{id:p,class:"\
area",autofocus:!0,value:i,onInput:w=>l(w.currentTarget.value)}):t("input",{id:p,class:"input",autofocus:!0,value:i,onInput:w=>l(w.currentTarget.value)})})})})}var Pl=["power","management","boot","deploy","network","storage","inspect","console","raid","bios","firmware","rescue","vendor"],Al=["driver_info","instance_inf\
o","properties","extra"];function Hs({node:e,me:n,reload:o}){let r=D(`/v1/nodes/${E(e.uuid)}/validate`),s=D(`/v1/nodes/${E(e.uuid)}/bios?detail=True`),[a,i]=g(null);
return t("div",{class:"stack",children:[t(R,{title:`Interfaces of ${e.driver}`,level:3,actions:t(_,{small:!0,onClick:r.reload,children:"Validate again"}),children:t(
ee,{doc:r,lines:8,children:l=>t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
interface"}),t("th",{scope:"col",children:"implementation"}),t("th",{scope:"col",children:"verdict"})]})}),t("tbody",{children:Pl.map(u=>t("tr",{children:[t("th",
{scope:"row",children:u}),t("td",{children:String(e[`${u}_interface`]??"")}),t("td",{children:t(Nl,{verdict:l[u]})})]},u))})]})})})}),t("div",{class:"cards",children:Al.
map(l=>t(R,{title:l,level:3,actions:t(_,{small:!0,kind:"quiet",label:`Edit ${l}`,why:se(n,$e.update),onClick:()=>i(l),children:"Edit"}),children:t(Rl,{values:e[l]})},
l))}),t(R,{title:"BIOS settings",level:3,children:t(ee,{doc:s,children:l=>l.bios.length===0?t(V,{title:"No BIOS settings are known",children:"The service reads \
them when the machine is verified, cleaned or deployed, if its driver can."}):t("div",{class:"scroll-x scroll-y",children:t("table",{class:"table",children:[t("\
thead",{children:t("tr",{children:[t("th",{scope:"col",children:"setting"}),t("th",{scope:"col",children:"value"}),t("th",{scope:"col",children:"allowed"})]})}),
t("tbody",{children:l.bios.map(u=>t("tr",{children:[t("th",{scope:"row",children:u.name}),t("td",{children:[u.value," ",u.read_only===!0&&t("span",{class:"chip",
children:"read only"})]}),t("td",{class:"faint",children:u.allowable_values?.join(", ")??(u.lower_bound==null?"":`${u.lower_bound} to ${u.upper_bound??""}`)})]},
u.name))})]})})})}),a!==null&&t(Dl,{name:a,node:e,onClose:()=>i(null),onDone:()=>{i(null),o(),r.reload()}})]})}function Nl({verdict:e}){return e===void 0?t("spa\
n",{class:"faint",children:"not validated"}):e.result===!0?t("span",{class:"good",children:[t(N,{name:"check"})," would work"]}):e.result===null?t("span",{class:"\
faint",children:e.reason??"not supported"}):t("span",{class:"wrong",children:[t(z,{look:"failed"})," ",e.reason??"would not work"]})}function Rl({values:e}){let n=Object.
entries(e);return n.length===0?t("p",{class:"faint",children:"Empty."}):t("dl",{class:"values",children:n.map(([o,r])=>t("div",{children:[t("dt",{children:o}),t(
"dd",{children:t("code",{children:typeof r=="string"?r:JSON.stringify(r)})})]},o))})}function Ll(e,n,o){let r=a=>`/${e}/${a.replaceAll("~","~0").replaceAll("/",
"~1")}`,s=[];for(let[a,i]of Object.entries(o))a in n?JSON.stringify(n[a])!==JSON.stringify(i)&&s.push({op:"replace",path:r(a),value:i}):s.push({op:"add",path:r(
a),value:i});for(let a of Object.keys(n))a in o||s.push({op:"remove",path:r(a)});return s}function Dl({name:e,node:n,onClose:o,onDone:r}){let s=n[e],[a,i]=g(JSON.
stringify(s,null,2)),l=null,u=null;try{let m=JSON.parse(a);typeof m=="object"&&m!==null&&!Array.isArray(m)?l=m:u="This has to be a JSON object."}catch(m){u=m instanceof
Error?m.message:String(m)}let f=l===null?[]:Ll(e,s,l),c=async()=>{try{await Dt(n.uuid,f),W(`${e} is changed.`),r()}catch(m){Z("The change was refused",m)}};return t(
re,{wide:!0,title:`${e} of ${n.name??n.uuid}`,onClose:o,foot:t(T,{children:[t(_,{onClick:o,children:"Cancel"}),t(_,{kind:"main",why:u!==null?"it is not JSON":f.
length===0?"nothing is changed":null,onClick:()=>{c()},children:["Send ",f.length>0?`${f.length} changes`:""]})]}),children:[t(H,{label:"JSON",error:u,hint:"Sec\
rets are masked as ******; leave them and they stay as they are.",children:m=>t("textarea",{id:m,class:"area area-tall",autofocus:!0,spellcheck:!1,value:a,onInput:h=>i(
h.currentTarget.value)})}),f.length>0&&t("ul",{class:"diff","aria-label":"What will be sent",children:f.map(m=>t("li",{class:`diff-${m.op}`,children:t("code",{children:[
m.op==="remove"?"\u2212":"+"," ",m.path," ",m.value===void 0?"":JSON.stringify(m.value)]})},m.path))})]})}var Js={running:"working",done:"in_use",failed:"failed",aborted:"held",waiting:"waiting",pending:"ready"};function Wo(e){let n=e.requested_by;return n===null?null:
n.user??n.project}function Ks({flow:e}){let n=Wo(e);return t("section",{class:"panel running","aria-label":"Under way",children:[t("header",{class:"running-head",
children:[t("h2",{children:[t(z,{look:"working"})," ",e.verb]}),t("span",{class:"faint",children:[n!==null&&`asked by ${n} `,t(Pe,{at:e.started_at,ago:!0}),e.requested_by?.
request_id!=null&&t(T,{children:[" \xB7 ",t("code",{children:e.requested_by.request_id})]})]}),e.restarts>0&&t("span",{class:"chip",children:["taken up again ",
e.restarts," times"]})]}),t(Gs,{flow:e}),t(Vs,{flow:e}),t(zs,{flow:e})]})}function Vs({flow:e}){let{progress:n,waiting:o}=e,r=u=>{let f=n?.[u];return typeof f==
"number"?f:null},[s,a,i,l]=[r("bytes"),r("total"),r("rate"),r("eta")];return t(T,{children:[s!==null&&a!==null&&a>0&&t("div",{class:"progress-line",children:[t(
Pt,{value:$t(s,a),label:"Bytes written"}),t("span",{children:[Re(s)," of ",Re(a),i!==null&&` \xB7 ${Re(i)}/s`,l!==null&&` \xB7 ${ye(l)} left`]})]}),o!==null&&t(
"p",{class:"waits",children:[t(z,{look:"waiting"})," waits ",ke(o.since??o.started_at)," for ",o.for??o.what??"the machine"]})]})}function Il(e,n){let o=e.phases[n];
if(o===void 0)return 0;if(o.duration!==null)return o.duration;let r=e.phases[n+1],s=r===void 0?e.ended_at===null?mt.value:Date.parse(e.ended_at):Date.parse(r.started_at);
return Math.max(0,(s-Date.parse(o.started_at))/1e3)}function Gs({flow:e}){if(e.phases.length===0)return null;let n=e.phases.map((r,s)=>Il(e,s)),o=n.reduce((r,s)=>r+
s,0);return t("ol",{class:"phases",children:e.phases.map((r,s)=>{let a=n[s]??0,i=s===e.phases.length-1,l=i&&e.state==="running"?"running":i&&e.state==="failed"?
"failed":"done";return t("li",{class:`phase phase-${l}`,style:{flexGrow:o===0?1:Math.max(a/o,.04)},title:`${r.name}: ${ye(a)} (${r.by})`,children:[t("span",{class:"\
phase-name",children:r.name}),t("span",{class:"phase-time",children:ye(a)})]},`${s}-${r.name}`)})})}function zs({flow:e}){if(e.steps.length===0)return null;let n=e.
steps.filter(o=>o.state==="done").length;return t("div",{class:"steps",children:[t("span",{class:"faint",children:["steps ",n," of ",e.steps.length]}),e.steps.map(
(o,r)=>t("span",{class:`step step-${o.state}`,title:`${o.state}${o.duration===null?"":`, ${ye(o.duration)}`}`,children:[t(z,{look:Js[o.state]??"ready"})," ",o.name,
" ",t("span",{class:"hidden-text",children:o.state})]},`${r}-${o.name}`))]})}function Ys({doc:e}){return t(ee,{doc:e,lines:6,children:n=>n.flows.length===0?t(V,
{title:"Nothing was done to this machine yet",children:"Operations appear here with their phases, steps and waits."}):t("ol",{class:"flows",children:n.flows.map(
o=>t("li",{class:"flow",children:[t("header",{class:"flow-head",children:[t(z,{look:Js[o.state]??"ready"}),t("h3",{children:o.verb}),t("span",{children:[o.state,
o.result!==null&&` \u2192 ${o.result}`]}),t("span",{class:"faint",children:[t(Ae,{at:o.started_at})," \xB7 ",o.ended_at===null?ke(o.started_at):ye(o.duration??0),
Wo(o)!==null&&` \xB7 by ${Wo(o)??""}`,o.restarts>0&&` \xB7 taken up again ${o.restarts} times`]})]}),t(Gs,{flow:o}),o.state==="running"&&t(Vs,{flow:o}),t(zs,{flow:o}),
o.warnings.map((r,s)=>t("p",{class:"flow-warning",children:[t(N,{name:"warn"})," ",typeof r=="string"?r:JSON.stringify(r)]},s)),o.error!==null&&t("blockquote",{
class:"finding",children:o.error})]},o.started_at+o.verb))})})}var pn=[["overview","Overview"],["timeline","Timeline"],["boot","Boot"],["bmc","BMC"],["hardware","Hardware"],["settings","Settings"],["network","Network"],["hi\
story","History"],["console","Console"],["json","JSON"]];function Zs({ident:e}){let n=k=>k.node===o.current||k.node_name===e||k.node===e,o=U(""),r=D(`/v1/nodes/${E(
e)}`,{on:n,atMost:400}),s=r.data.value;s!==void 0&&(o.current=s.uuid);let a=s?.uuid??null,i=D(a===null?null:`/corten/v1/me?node=${a}`),l=s===void 0?"ready":Mt(s.
provision_state),u=l==="working"||l==="waiting"||(s?.reservation??null)!==null,f=D(a===null?null:`/corten/v1/nodes/${a}/timeline?limit=20`,{on:n,atMost:400,every:u?
1e3:void 0}),c=D(a===null?null:`/corten/v1/nodes/${a}/diagnosis`,{on:n,atMost:800,every:u?5e3:3e4}),m=le.value.get("tab")??"overview",h=k=>{let b=pn.findIndex(([
y])=>y===(le.peek().get("tab")??"overview")),v=pn[(b+k+pn.length)%pn.length];v!==void 0&&X({tab:v[0]==="overview"?null:v[0]})};if(We([{keys:"[",about:"tab befor\
e",run:()=>h(-1)},{keys:"]",about:"next tab",run:()=>h(1)},{keys:".",about:"verbs of this node",run:()=>document.querySelector(".verbs .button")?.focus()}]),L(()=>(document.
title=`${s?.name??e} \xB7 Corten`,()=>{document.title="Corten"}),[s?.name]),s===void 0){let k=r.error.value;return t("div",{class:"stack",children:[t(Qs,{}),k===
void 0?t(Ce,{lines:8}):t(Te,{error:k,retry:r.reload})]})}let d=r.error.value?.status===404,p={node:s,me:i.data.value,timeline:f.data.value,reload:r.reload},w=f.
data.value?.flows[0],S=ot.find(k=>k.verb===le.value.get("do")&&k.asks===!0);return t("div",{class:"node",children:[t("header",{class:"node-head",children:[t(Qs,
{}),t("h1",{class:"node-name",children:[s.name??s.uuid,t(At,{text:s.uuid,label:"Copy the UUID"})]}),t(et,{state:s.provision_state,target:s.target_provision_state,
maintenance:s.maintenance}),t("span",{class:"faint",children:["since ",t(Pe,{at:s.provision_updated_at})]}),t("span",{class:"node-fact",children:[t(N,{name:"pow\
er"})," ",s.power_state??"power unknown",s.target_power_state!==null&&` \u2192 ${s.target_power_state}`]}),s.resource_class!==null&&t("span",{class:"node-fact",
children:["class ",s.resource_class]}),s.conductor!==null&&t("span",{class:"node-fact",children:s.conductor}),s.reservation!==null&&t("span",{class:"node-fact n\
ode-lock",children:[t(N,{name:"lock"})," locked by ",s.reservation]}),s.protected&&t("span",{class:"chip",children:"protected"}),s.retired&&t("span",{class:"chi\
p",children:"retired"})]}),d&&t("p",{class:"banner",role:"alert",children:[t(N,{name:"warn"})," This node was deleted meanwhile. What you see is what was last k\
nown."]}),t("div",{class:d?"main-stale stack":"stack",children:[t("section",{class:"panel life-panel","aria-label":"Life",children:[t(Ws,{node:s}),t(Cs,{...p})]}),
c.data.value!==void 0&&t(Is,{diagnosis:c.data.value,...p}),w!==void 0&&w.state==="running"&&t(Ks,{flow:w}),t("nav",{class:"tabs",role:"tablist","aria-label":"Ab\
out this node",children:pn.map(([k,b])=>t("a",{role:"tab",id:`tab-${k}`,"aria-selected":k===m,"aria-controls":"tab-panel",tabIndex:k===m?0:-1,class:"tab",href:P(
["nodes",e],{tab:k==="overview"?null:k}),onKeyDown:v=>{v.key!=="ArrowRight"&&v.key!=="ArrowLeft"||(v.preventDefault(),h(v.key==="ArrowRight"?1:-1),requestAnimationFrame(
()=>document.querySelector('.tab[aria-selected="true"]')?.focus()))},children:b},k))}),t("div",{role:"tabpanel",id:"tab-panel","aria-labelledby":`tab-${m}`,class:"\
tab-panel",children:[m==="overview"&&t(Us,{...p}),m==="timeline"&&t(Ys,{doc:f}),m==="boot"&&t(Ms,{node:s,busy:u}),m==="bmc"&&t($s,{...p}),m==="hardware"&&t(Os,{
...p}),m==="settings"&&t(Hs,{...p}),m==="network"&&t(js,{...p}),m==="history"&&t(qs,{node:s}),m==="console"&&t(Ns,{...p}),m==="json"&&t(Fs,{node:s})]})]}),S!==void 0&&
t(Ds,{action:S,...p,onClose:()=>X({do:null})})]})}function Qs(){return t("a",{class:"crumb",href:P(["nodes"]),children:"\u2039 Nodes"})}function Xs(e,n,o,r){let s=Math.max(0,Math.floor(e/o)-8),a=Math.min(r,Math.ceil((e+n)/o)+8);return{first:Math.min(s,Math.max(0,r-1)),end:Math.max(a,0)}}var rt=100;
function fn({first:e,end:n}){let o=[];for(let r=Math.floor(e/rt);r*rt<n;r+=1)o.push(r);return o}function ea(e,n,o,r){return e*r<n?e*r:(e+1)*r>n+o?(e+1)*r-o:null}var Bl=500;function Ol(e,n){let o=r=>{let s=n.data[r];return typeof s=="string"?s:null};if(n.kind==="provision"){let r=o("to");if(r===null||Me[r]===void 0)return null;
let s=Me[r].look;return{...e,provision_state:r,look:s,target_provision_state:o("target"),provision_updated_at:n.at,cause:s==="failed"?e.cause:null}}if(n.kind===
"power"){let r=o("to");return r===null?null:{...e,power_state:r}}return null}var jo=class{constructor(n,o){this.query=n;this.before=o;o?.total===void 0&&(this.before=
o?.before),this.total=this.before?.total,this.read(0)}query;before;version=F(0);total;error;pages=new Map;cursors=new Map;asked=new Map;sight={first:0,end:rt};timer;seeTimer;last=0;at(n){
return this.before!==void 0?this.before.at(n):this.pages.get(Math.floor(n/rt))?.[n%rt]}loaded(){return[...this.pages.values()].flat()}see(n){this.sight=n,window.
clearTimeout(this.seeTimer),fn(n).filter(r=>!this.pages.has(r)&&!this.asked.has(r)).length!==0&&(this.seeTimer=window.setTimeout(()=>{for(let[r,s]of this.asked)
fn(this.sight).includes(r)||s.abort();for(let r of fn(this.sight))!this.pages.has(r)&&!this.asked.has(r)&&this.read(r)},50))}read(n){let o=new AbortController;this.
asked.get(n)?.abort(),this.asked.set(n,o),Y(`/corten/v1/nodes?${this.query}&limit=${rt}&offset=${n*rt}`,o.signal).then(r=>{this.asked.get(n)===o&&this.asked.delete(
n),this.pages.set(n,r.nodes),this.cursors.set(n,r.cursor),this.total=r.total,this.before=void 0,this.error=void 0,Nt(r.cursor),this.version.value+=1},r=>{this.asked.
get(n)===o&&this.asked.delete(n),!o.signal.aborted&&(this.error=Se(r),this.pages.size===0&&(this.total=void 0),this.before=void 0,this.version.value+=1)})}take(n){
let o=!1,r=new Map;for(let s of n){let a=r.get(s.node);a===void 0?r.set(s.node,[s]):a.push(s)}for(let[s,a]of this.pages){let i=this.cursors.get(s)??0;for(let[l,
u]of a.entries())for(let f of r.get(u.uuid)??[]){if(f.cursor<=i)continue;let c=Ol(a[l]??u,f);c!==null&&(a[l]=c,o=!0)}}if(o&&(this.version.value+=1),this.timer===
void 0){let s=Math.max(0,this.last+Bl-Date.now());this.timer=window.setTimeout(()=>{this.timer=void 0,this.last=Date.now(),this.refresh()},s)}}refresh(){let n=new Set(
fn(this.sight));for(let o of[...this.pages.keys()])n.has(o)||this.pages.delete(o);n.size===0&&n.add(0);for(let o of n)this.read(o)}stop(){window.clearTimeout(this.
timer),window.clearTimeout(this.seeTimer);for(let n of this.asked.values())n.abort()}},ql="uuid,name,look,provision_state,target_provision_state,provision_updat\
ed_at,power_state,target_power_state,maintenance,fault,retired,protected,driver,resource_class,conductor,conductor_group,chassis_uuid,shard,owner,lessee,instanc\
e_uuid,reservation,cause";function ta(e,n){let o=vt.value+Le.value,r=U(void 0),s=Ze(()=>(r.current=new jo(`q=${E(e)}&sort=${E(n)}&fields=${ql}`,r.current),r.current),
[e,n]);return L(()=>{let a=Oe(i=>s.take(i));return()=>{a(),s.stop()}},[s]),L(()=>{o>0&&s.refresh()},[o]),{version:s.version.value,total:s.total,error:s.error,at:a=>s.
at(a),see:a=>s.see(a),loaded:()=>s.loaded()}}function Fl(e){let n=1+Math.ceil(e/10);return Array.from({length:e},(o,r)=>r===0?0:r<n?1:2)}function oa(e,n,o,r,s){let a=[...o].sort((u,f)=>u[1].localeCompare(f[1],
"en",{numeric:!0})),i=r?Fl(a.length):a.map(()=>0),l=a.map(([u,f],c)=>({uuid:u,name:f,fate:"queued",wave:i[c]??0,reason:null}));return{verb:e,body:n,items:l,failures:Math.
max(1,s),state:"ready"}}function na(e){return e.items.filter(n=>n.fate==="failed"||n.fate==="refused").length}async function ra(e,n){e.state="running";let o=Math.
max(...e.items.map(r=>r.wave));for(let r=0;r<=o;r+=1){let s=e.items.filter(l=>l.wave===r&&(l.fate==="queued"||l.fate==="asked")),a=0,i=async()=>{for(;a<s.length;){
let l=s[a];if(a+=1,l===void 0||!n.wanted()||na(e)>=e.failures)return;await Wl(e,l,n)}};if(await Promise.all(Array.from({length:Math.min(20,s.length)},i)),na(e)>=
e.failures){for(let l of e.items)l.fate==="queued"&&(l.fate="left");e.state="stopped",n.changed(e);return}if(!n.wanted()){e.state="paused",n.changed(e);return}}
e.state="done",n.changed(e)}async function Wl(e,n,o){let r=s=>s instanceof Error?s.message:String(s);if(n.fate==="queued")try{n.fate="asked",o.changed(e),await o.
ask(n)}catch(s){n.fate="refused",n.reason=r(s),o.changed(e);return}try{let s=await o.ended(n);n.fate=s.done?"done":"failed",n.reason=s.done?null:s.reason}catch(s){
n.fate="failed",n.reason=r(s)}o.changed(e)}var Un="corten.bulk";function sa(e){e.state==="done"||e.state==="stopped"?localStorage.removeItem(Un):localStorage.setItem(
Un,JSON.stringify(e))}function aa(){try{let e=localStorage.getItem(Un);return e===null?null:JSON.parse(e)}catch{return null}}function ia(){localStorage.removeItem(
Un)}var kt=(e,n,o,r,s,a={})=>({key:e,label:n,about:s,good:r,kind:"provision",body:()=>({target:o}),planned:!0,...a}),Uo=(e,n,o,r,s,a={})=>({key:e,label:n,about:s,good:[
r],kind:"power",body:()=>({target:o}),planned:!1,...a}),Hn=[kt("manage","Manage","manage",["manageable"],"Checks that each machine can be controlled.",{quick:!0}),
kt("provide","Provide","provide",["available"],"Cleans each machine and offers it for use.",{quick:!0}),kt("deploy","Deploy","active",["active"],"Writes the ima\
ge that stands in the instance_info of each node, and boots it.",{quick:!0}),kt("delete","Undeploy","deleted",["available"],"Takes each machine back and cleans \
it; what is on its disks is lost.",{quick:!0,destroys:!0}),kt("inspect","Inspect","inspect",["manageable"],"Finds out what hardware each machine has."),kt("abor\
t","Abort","abort",[],"Stops what is under way at the end of a step."),kt("unrescue","Unrescue","unrescue",["active"],"Boots the own system of each machine agai\
n."),Uo("power-on","Power on","power on","power on","Switches each machine on."),Uo("power-off","Power off","power off","power off","Switches each machine off a\
t once.",{destroys:!0}),Uo("reboot","Reboot","rebooting","power on","Restarts each machine at once.",{destroys:!0}),{key:"maintenance",label:"Maintenance on",kind:"\
maintenance",planned:!1,reason:!0,about:"Keeps the service from working on these machines.",body:e=>({on:!0,reason:e})},{key:"no-maintenance",label:"Maintenance\
 off",kind:"maintenance",planned:!1,about:"Lets the service work on these machines again.",body:()=>({on:!1})}];function Ho(e){return Hn.find(n=>n.key===e)}async function la(e,n,o){
e.kind==="provision"?await Ie(n.uuid,o):e.kind==="power"?await nn(n.uuid,String(o.target)):await on(n.uuid,o.on===!0,String(o.reason??""))}async function ca(e,n){
if(e.kind==="maintenance")return{done:!0};for(;;){let o=await Y(`/v1/nodes/${E(n.uuid)}?fields=provision_state,last_error,power_state,target_power_state,reserva\
tion`);if(e.kind==="power"?o.target_power_state===null:!jl(o.provision_state)&&o.reservation===null){let s=e.kind==="power"?o.power_state:o.provision_state;return(e.
good?.length??0)===0||e.good?.includes(s??"")===!0?{done:!0}:{done:!1,reason:o.last_error??`it is ${s??"unknown"}`}}await Ul(n.uuid)}}function jl(e){let n=Me[e]?.
look;return n==="working"||n==="waiting"}function Ul(e){return new Promise(n=>{let o=()=>{r(),window.clearTimeout(s),n()},r=Oe(a=>{a.some(i=>i.node===e)&&o()}),
s=window.setTimeout(o,5e3)})}function ua({q:e,total:n,selectAll:o}){let r=Ee.value.size,[s,a]=g(aa),i=Ho(le.value.get("bulk")??""),l=h=>X({bulk:h.key}),u=()=>{X({bulk:null}),a(null)},f=s!==
null&&s.state!=="done"?s:null;if(i!==void 0&&(r>0||f!==null))return t(Hl,{verb:i,nodes:Ee.value,resumed:f?.verb===i.key?f:null,onClose:u});if(r===0)return f===null?
null:t("div",{class:"bulk-bar",role:"region","aria-label":"Interrupted run",children:[t("strong",{children:[Ho(f.verb)?.label??f.verb," of ",fe(f.items.length,"\
node")," was interrupted."]}),t(_,{small:!0,kind:"main",onClick:()=>X({bulk:f.verb}),children:"Take it up"}),t(_,{small:!0,onClick:()=>{ia(),a(null)},children:"\
Forget it"})]});let c=Hn.filter(h=>h.quick),m=Hn.filter(h=>!h.quick);return t("div",{class:"bulk-bar",role:"region","aria-label":"Selected nodes",children:[t("s\
trong",{children:[fe(r,"node")," selected"]}),r<n&&t(_,{small:!0,kind:"quiet",onClick:o,children:e===""?`All ${n}`:`All ${n} that match`}),t("span",{class:"bulk\
-verbs",children:[c.map(h=>t(_,{small:!0,onClick:()=>l(h),children:[h.label,"\u2026"]},h.key)),t(Ve,{right:!0,label:"More",choices:m.map(h=>({label:`${h.label}\u2026`,
danger:h.destroys,onPick:()=>l(h)}))})]}),t(_,{small:!0,kind:"quiet",onClick:()=>Ee.value=new Map,children:"Clear"})]})}function Hl({verb:e,nodes:n,resumed:o,onClose:r}){
let s=o?.items.length??n.size,[a,i]=g(""),[l,u]=g(""),[f,c]=g(!0),[m,h]=g(1),[d,p]=g(null),[w,S]=g(!1),[k,b]=g(o),v=U(!0),y=s>500?`at most ${500} nodes at a tim\
e`:null,q=async()=>{S(!0);let C=[],B=[...n],te=async()=>{for(let M=B.shift();M!==void 0;M=B.shift()){let[K,ne]=M;try{let oe=await j("POST",`/corten/v1/nodes/${E(
K)}/plan`,e.body(a)),ue=oe?.is_accepted===!0?oe.states.join(" \u2192 "):oe?.refusal?.text??"refused";C.push({uuid:K,name:ne,accepted:oe?.is_accepted===!0,words:ue})}catch(oe){
C.push({uuid:K,name:ne,accepted:!1,words:oe instanceof Error?oe.message:String(oe)})}p([...C])}};await Promise.all(Array.from({length:8},te)),p(C.sort((M,K)=>Number(
M.accepted)-Number(K.accepted)||M.name.localeCompare(K.name,"en",{numeric:!0}))),S(!1)},x=async()=>{let C=k??oa(e.key,e.body(a),n,f,m);v.current=!0,b({...C}),await ra(
C,{ask:B=>la(e,B,C.body),ended:B=>ca(e,B),changed:B=>{sa(B),b({...B})},wanted:()=>v.current})},I=e.destroys!==!0||l.trim()===String(s),$=y??(I?null:`type ${s} f\
irst`),O=k?.state==="running";return t(re,{wide:!0,title:`${e.label} ${fe(s,"node")}`,onClose:()=>{v.current=!1,r()},foot:k===null?t(T,{children:[e.planned&&t(_,
{autofocus:!0,busy:w,onClick:()=>{q()},children:"Dry run"}),t("span",{class:"spring"}),t(_,{onClick:r,children:"Cancel"}),t(_,{kind:e.destroys===!0?"danger":"ma\
in",why:$,onClick:()=>{x()},children:e.label})]}):t(T,{children:[t("span",{class:"spring"}),O&&t(_,{onClick:()=>v.current=!1,children:"Start no more"}),(k.state===
"paused"||o!==null&&k.state!=="running"&&k.state!=="done"&&k.state!=="stopped")&&t(_,{kind:"main",onClick:()=>{x()},children:"Go on"}),t(_,{onClick:r,children:"\
Close"})]}),children:k===null?t("div",{class:"form",children:[t("p",{children:[e.about," ",s>1&&f?"First one node, then a tenth, then the rest; the next wave be\
gins when the last one ended well.":""]}),e.reason===!0&&t(H,{label:"Reason",children:C=>t("input",{id:C,class:"input",value:a,onInput:B=>i(B.currentTarget.value)})}),
s>1&&t("div",{class:"row",children:[t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:f,onChange:C=>c(C.currentTarget.checked)})," In w\
aves: 1, 10 %, the rest"]}),t("label",{class:"inline-label",children:["Stop after"," ",t("input",{class:"input input-number",type:"number",min:1,max:500,value:m,
onInput:C=>h(Math.max(1,Number(C.currentTarget.value)))})," failures"]})]}),e.destroys===!0&&t(H,{label:`Type ${s} to go on`,children:C=>t("input",{id:C,class:"\
input input-number",inputMode:"numeric",autocomplete:"off",value:l,onInput:B=>u(B.currentTarget.value)})}),d!==null&&t(Jl,{trial:d,total:s})]}):t(Vl,{plan:k})})}
function Jl({trial:e,total:n}){let o=e.filter(r=>r.accepted).length;return t("div",{class:"trial",children:[t("p",{role:"status",children:[t("strong",{children:o}),
" would start, ",t("strong",{children:e.length-o})," would be refused",e.length<n&&`, ${n-e.length} being asked`,". Nothing was done."]}),t("div",{class:"scroll\
-y",tabIndex:0,role:"region","aria-label":"Result of the dry run",children:t("table",{class:"table",children:t("tbody",{children:e.slice(0,500).map(r=>t("tr",{children:[
t("th",{scope:"row",children:r.name}),t("td",{class:r.accepted?"good":"wrong",children:r.accepted?"would start":"refused"}),t("td",{children:r.words})]},r.uuid))})})})]})}
var Kl={queued:"not yet",asked:"under way",done:"done",failed:"failed",refused:"refused",left:"not touched"};function Vl({plan:e}){let n=r=>e.items.filter(s=>s.
fate===r).length,o={ready:"Ready to go on.",running:"Running.",paused:"Paused; nothing more is started.",stopped:"Stopped after a failure; no further node is to\
uched.",done:"All done."};return t("div",{class:"trial",children:[t("p",{role:"status",class:e.state==="stopped"?"wrong":"",children:[t("strong",{children:o[e.state]}),
" ",n("done")," done, ",n("asked")," under way, ",n("failed")+n("refused")," failed, ",n("queued")+n("left")," not touched."]}),t("div",{class:"scroll-y",tabIndex:0,
role:"region","aria-label":"What became of each node",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
node"}),t("th",{scope:"col",children:"wave"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",children:"reason"})]})}),t("tbody",{children:e.items.map(
r=>t("tr",{children:[t("th",{scope:"row",children:r.name}),t("td",{children:r.wave+1}),t("td",{class:r.fate==="done"?"good":r.fate==="failed"||r.fate==="refused"?
"wrong":"",children:Kl[r.fate]}),t("td",{children:r.reason??""})]},r.uuid))})]})})]})}var Ko=F(new Map);function Gl({row:e}){let n=Ko.value.get(e.uuid);return n===void 0?null:t(Pt,{value:n,label:`${e.name??e.uuid}: ${Math.round(n)} %`})}var st=t(
"span",{class:"faint",children:"\u2013"}),Jn=[{key:"name",label:"name",width:"minmax(140px, 1.2fr)",sort:"name",cell:e=>t(T,{children:[t("a",{class:"node-link",
tabIndex:-1,href:P(["nodes",e.name??e.uuid]),children:e.name??e.uuid}),e.reservation!==null&&t("span",{class:"lock",title:`${e.reservation} works on it`,children:[
t(N,{name:"lock"}),t("span",{class:"hidden-text",children:["locked by ",e.reservation]})]})]})},{key:"state",label:"state",width:"minmax(200px, 1.5fr)",sort:"pr\
ovision_state",cell:e=>t(T,{children:[t(et,{state:e.provision_state,target:e.target_provision_state,maintenance:e.maintenance}),t(Gl,{row:e})]})},{key:"since",label:"\
in state",width:"96px",sort:"provision_updated_at",cell:e=>t(Pe,{at:e.provision_updated_at})},{key:"power",label:"power",width:"76px",sort:"power_state",cell:e=>e.
power_state?.replace("power ","")??st},{key:"class",label:"class",width:"minmax(90px, .7fr)",sort:"resource_class",cell:e=>e.resource_class??st},{key:"driver",label:"\
driver",width:"120px",sort:"driver",cell:e=>e.driver},{key:"conductor",label:"conductor",width:"110px",sort:"conductor",cell:e=>e.conductor??st},{key:"group",label:"\
conductor group",width:"130px",sort:"conductor_group",cell:e=>e.conductor_group===""?st:e.conductor_group},{key:"owner",label:"owner",width:"130px",sort:"owner",
cell:e=>e.owner??st},{key:"lessee",label:"lessee",width:"130px",sort:"lessee",cell:e=>e.lessee??st},{key:"shard",label:"shard",width:"90px",sort:"shard",cell:e=>e.
shard??st},{key:"instance",label:"instance",width:"120px",sort:"instance_uuid",cell:e=>e.instance_uuid===null?st:t("code",{title:e.instance_uuid,children:e.instance_uuid.
slice(0,8)})},{key:"matter",label:"what is the matter",width:"minmax(200px, 2fr)",cell:e=>{let n=e.cause?.sentence??e.fault??(e.retired?"retired":null);return n===
null?"":t("span",{title:n,children:n})}}];var da=30,zl=56,Yl=[{name:"All",q:""},{name:"Failed",q:"state:failed"},{name:"Waiting too long",q:"state:waiting age>15m"},{name:"Maintenance",q:"maint:yes"}];function pa(){
let e=le.value.get("q")??"",n=le.value.get("sort")??"name",o=ta(e,n),r=D("/corten/v1/fleet",{every:1e4}),s=D("/corten/v1/work",{every:2e3});L(()=>{let l=(s.data.
value?.operations??[]).filter(u=>u.progress?.bytes!=null&&u.progress.total!=null);Ko.value=new Map(l.map(u=>[u.node,$t(u.progress?.bytes??0,u.progress?.total??0)]))},
[s.data.value]);let a=r.data.value?.total;Ql(e);let i=Lo(o.error);return t("div",{class:"nodes",children:[t("div",{class:"nodes-head",children:[t("h1",{class:"h\
idden",children:"Nodes"}),t(Wn,{q:e,onQuery:l=>X({q:l}),error:o.error}),t("div",{class:"nodes-tools",children:[t(Xl,{q:e,sort:n,counts:r.data.value}),t("span",{
class:"nodes-count",role:"status",children:o.total!==void 0&&(e===""?fe(o.total,"node"):`${J(o.total)} of ${a===void 0?"\u2026":J(a)}`)}),t(ec,{q:e,sort:n})]})]}),
o.error!==void 0&&o.total===void 0&&i===null?t(Te,{error:o.error}):o.total===void 0?i===null&&t(Ce,{lines:12}):o.total===0?t(V,{title:e===""?"No machines yet":"\
No node matches",children:e===""?t("a",{class:"button button-main",href:P(["enrol"]),children:"Enrol machines"}):t(_,{onClick:()=>X({q:null}),children:"Clear th\
e filter"})}):t(tc,{rows:o,q:e,sort:n}),t(ua,{q:e,total:o.total??0,selectAll:()=>{Zl(e)}})]})}function Ql(e){let n=U(e);L(()=>{if(n.current===e)return;n.current=
e;let o=[...Ee.value];if(o.length===0||e==="")return;(async()=>{let s=new Map;for(let a=0;a<o.length;a+=20){let i=o.slice(a,a+20),l=await Y(`/corten/v1/nodes?fi\
elds=uuid&limit=20&q=${E(`${e} uuid:${i.map(([f])=>f).join(",")}`)}`),u=new Set(l.nodes.map(f=>f.uuid));for(let[f,c]of i)u.has(f)&&s.set(f,c)}s.size<o.length&&(Ee.
value=s,W(`${fe(o.length-s.size,"node")} left the selection: the filter hides them.`))})().catch(()=>Ee.value=new Map)},[e])}async function Zl(e){try{let n=new Map;
for(let o=0;;o+=1e3){let r=await Y(`/corten/v1/nodes?fields=uuid,name&limit=1000&offset=${o}&q=${E(e)}`);for(let s of r.nodes)n.set(s.uuid,s.name??s.uuid);if(r.
nodes.length===0||n.size>=r.total||n.size>=1e4)break}Ee.value=n,W(`${fe(n.size,"node")} selected.`)}catch(n){Z("The nodes could not be selected",n)}}function Xl({
q:e,sort:n,counts:o}){let r=[...Yl,...Je.value],s=r.some(a=>a.q===e);return t("div",{class:"views",role:"group","aria-label":"Views",children:[r.map(a=>t("a",{class:"\
view",href:P(["nodes"],{q:a.q,sort:a.sort}),"aria-current":a.q===e?"true":void 0,children:[a.name,a.q==="state:failed"&&o!==void 0&&o.looks.failed>0&&t("span",{
class:"count count-failed",children:J(o.looks.failed)}),a.q==="maint:yes"&&o!==void 0&&o.maintenance>0&&t("span",{class:"count",children:J(o.maintenance)})]},a.
name)),!s&&e!==""&&t(_,{small:!0,kind:"quiet",onClick:()=>{let a=e.length>24?e.slice(0,23)+"\u2026":e;Je.value=[...Je.value,n==="name"?{name:a,q:e}:{name:a,q:e,
sort:n}],W("The view is saved in this browser.")},children:[t(N,{name:"plus"})," Save view"]}),Je.value.some(a=>a.q===e)&&t(_,{small:!0,kind:"quiet",onClick:()=>Je.
value=Je.value.filter(a=>a.q!==e),children:"Forget view"})]})}function ec({q:e,sort:n}){let o=s=>{let a=_t.value.includes(s);_t.value=a?_t.value.filter(i=>i!==s):
Jn.map(i=>i.key).filter(i=>i===s||_t.value.includes(i))},r=e===""?"":` --where ${he(e)}`;return t("div",{class:"tools",children:[t("span",{class:"wide-only",children:t(
Ve,{right:!0,kind:"quiet",label:"Columns",choices:Jn.filter(s=>s.key!=="name").map(s=>({label:s.label,checked:_t.value.includes(s.key),onPick:()=>o(s.key)}))})}),
t(_,{small:!0,kind:"quiet",onClick:()=>{Ts(e,n)},children:[t(N,{name:"download"})," CSV"]}),t(_,{small:!0,kind:"quiet",onClick:()=>{navigator.clipboard?.writeText(
location.href).then(()=>W("The link is copied."))},children:[t(N,{name:"link"})," Link"]}),t(ve,{commands:{corten:`corten node list${r}`,curl:ce("GET",`/corten/\
v1/nodes?q=${E(e)}&sort=${E(n)}`)}}),t("a",{class:"button button-small",href:P(["enrol"]),children:[t(N,{name:"plus"})," Enrol"]})]})}function tc({rows:e,q:n,sort:o}){
let r=U(null),[s,a]=g(0),[i,l]=g({height:600,narrow:!1}),[u,f]=g(0),c=U(0),m=x=>{c.current=x,f(x)},h=e.total??0,d=i.narrow?zl:da,p=Xs(s,i.height,d,h),w=Jn.filter(
x=>x.key==="name"||_t.value.includes(x.key)),S=`36px ${w.map(x=>x.width).join(" ")}`;ut(()=>{let x=r.current;if(x===null)return;let I=()=>l({height:x.clientHeight,
narrow:x.clientWidth<700});I();let $=new ResizeObserver(I);return $.observe(x),()=>$.disconnect()},[]),L(()=>e.see(p),[p.first,p.end,n,o,e.version]),L(()=>{m(0),
r.current?.scrollTo(0,0)},[n,o]);let k=(x,I)=>{let $=Math.max(0,Math.min(h-1,c.current+x));I&&(b(c.current,!0),b($,!0)),m($);let O=ea($,r.current?.scrollTop??0,
i.height-da,d);O!==null&&r.current?.scrollTo(0,O),r.current?.focus({preventScroll:!0})},b=(x,I)=>{let $=e.at(x);if($===void 0)return;let O=new Map(Ee.value);I??
!O.has($.uuid)?O.set($.uuid,$.name??$.uuid):O.delete($.uuid),Ee.value=O},v=()=>{let x=e.at(c.current);x!==void 0&&ge(P(["nodes",x.name??x.uuid]))};We([{keys:"/",
about:"filter",run:()=>document.getElementById("query")?.focus()},{keys:"j",about:"next node",run:()=>k(1,!1)},{keys:"k",about:"node before",run:()=>k(-1,!1)},{
keys:"ArrowDown",about:"next node",run:()=>k(1,!1)},{keys:"ArrowUp",about:"node before",run:()=>k(-1,!1)},{keys:"J",about:"select and go down",run:()=>k(1,!0)},
{keys:"K",about:"select and go up",run:()=>k(-1,!0)},{keys:"PageDown",about:"a page down",run:()=>k(Math.floor(i.height/d),!1)},{keys:"PageUp",about:"a page up",
run:()=>k(-Math.floor(i.height/d),!1)},{keys:"Home",about:"first node",run:()=>k(-h,!1)},{keys:"End",about:"last node",run:()=>k(h,!1)},{keys:"x",about:"select \
this node",run:()=>b(c.current)},{keys:"Enter",about:"open this node",run:x=>x.target instanceof HTMLAnchorElement||x.target instanceof HTMLButtonElement?x.target.
click():v()},{keys:"Escape",about:"clear the selection",run:()=>Ee.value=new Map}]);let y=x=>o===x.sort?"ascending":o===`-${x.sort}`?"descending":"none",q=[];for(let x=p.
first;x<p.end;x+=1)q.push(x);return t("div",{class:`grid${i.narrow?" grid-narrow":""}`,id:"nodes",ref:r,tabIndex:0,role:"grid","aria-label":"Nodes","aria-rowcou\
nt":h+1,"aria-multiselectable":"true","aria-activedescendant":u>=p.first&&u<p.end?`node-${u}`:void 0,onScroll:x=>a(x.currentTarget.scrollTop),children:[t("div",
{class:"grid-head",role:"row","aria-rowindex":1,style:{gridTemplateColumns:S},children:[t("span",{role:"columnheader",class:"hidden-text",children:"select"}),w.
map(x=>t("span",{role:"columnheader","aria-sort":x.sort===void 0?void 0:y(x),children:x.sort===void 0?x.label:t("button",{type:"button",class:"sort",tabIndex:-1,
onClick:()=>X({sort:o===x.sort?`-${x.sort}`:x.sort==="name"?null:x.sort??null}),children:[x.label,y(x)!=="none"&&t(N,{name:y(x)==="ascending"?"up":"down"})]})},
x.key))]}),t("div",{class:"grid-body",role:"rowgroup",style:{height:`${h*d}px`},children:q.map(x=>t(nc,{index:x,row:e.at(x),shown:w,template:S,top:x*d,height:d,
active:x===u,narrow:i.narrow,onMark:()=>b(x),onClick:()=>m(x)},x))})]})}function nc({index:e,row:n,shown:o,template:r,top:s,height:a,active:i,narrow:l,onMark:u,
onClick:f}){let c=n!==void 0&&Ee.value.has(n.uuid),m=l?{top:`${s}px`,height:`${a}px`}:{top:`${s}px`,height:`${a}px`,gridTemplateColumns:r};return t("div",{class:`\
grid-row${i?" grid-active":""}${c?" grid-chosen":""}`,role:"row",id:`node-${e}`,"aria-rowindex":e+2,"aria-selected":c,style:m,onClick:f,children:[t("span",{role:"\
gridcell",class:"grid-check",children:n!==void 0&&t("label",{class:"check",children:t("input",{type:"checkbox",tabIndex:-1,checked:c,onChange:u,"aria-label":`Se\
lect ${n.name??n.uuid}`})})}),n===void 0?t("span",{role:"gridcell",class:"grid-loading"}):o.map(h=>t("span",{role:"gridcell",class:`cell cell-${h.key}`,children:h.
cell(n)},h.key))]})}function Vo({title:e,path:n,key_:o,command:r,none:s}){let a=D(`${n}?detail=True`);return L(()=>{let i=()=>a.reload();return addEventListener("focus",i),()=>removeEventListener(
"focus",i)},[]),t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:e}),t("span",{class:"spring"}),t(ve,{commands:{corten:r,curl:ce(
"GET",`${n}?detail=True`)}})]}),t(ee,{doc:a,lines:6,children:i=>{let l=i[o]??[];return l.length===0?t(V,{title:`No ${e.toLowerCase()}`,children:s}):t("div",{class:"\
cards",children:l.map(u=>t(oc,{recipe:u},u.uuid))})}})]})}function oc({recipe:e}){let[n,o]=g(!1);return t(R,{level:3,title:e.name??e.description??e.uuid,actions:t(
_,{small:!0,kind:"quiet",expanded:n,onClick:()=>o(!n),children:"JSON"}),children:[e.name!==void 0&&e.description!=null&&t("p",{children:e.description}),t("p",{class:"\
row",children:[e.owner!=null&&t("span",{class:"chip",children:["owner ",e.owner]}),e.public===!0&&t("span",{class:"chip",children:"public"}),e.phase!=null&&t("s\
pan",{class:"chip",children:e.phase}),e.sensitive===!0&&t("span",{class:"chip",children:"sensitive"}),e.traits?.map(r=>t("span",{class:"chip",children:r},r))]}),
e.steps!==void 0&&t("ol",{class:"plan-steps",children:[...e.steps].sort((r,s)=>(r.order??0)-(s.order??0)||(s.priority??0)-(r.priority??0)).map((r,s)=>t("li",{children:[
r.interface,".",r.step," ",Object.keys(r.args??{}).length>0&&t("code",{class:"faint",children:JSON.stringify(r.args)})]},s))}),e.conditions!==void 0&&t("p",{children:[
t("strong",{children:"If"})," ",e.conditions.length===0?"always":e.conditions.map(r=>fa(r)).join(" and ")]}),e.actions!==void 0&&t("p",{children:[t("strong",{children:"\
then"})," ",e.actions.map(r=>fa(r)).join(", ")]}),n&&t("pre",{class:"json",children:JSON.stringify(e,null,2)})]})}function fa(e){let{op:n,args:o,...r}=e,s=typeof o==
"object"&&o!==null?Object.entries(o):[],a=Object.entries(r).filter(([,i])=>i!==null&&i!==!1&&i!=="any");return`${String(n)} ${[...s,...a].map(([i,l])=>`${i} ${typeof l==
"string"?l:JSON.stringify(l)}`).join(", ")}`}function ma(){return t(Vo,{title:"Deploy templates",path:"/v1/deploy_templates",key_:"deploy_templates",command:"co\
rten deploy template list",none:"A deploy template adds steps to deployments of instances that ask for its trait."})}function ha(){return t(Vo,{title:"Runbooks",
path:"/v1/runbooks",key_:"runbooks",command:"corten runbook list",none:"A runbook is a list of steps for cleaning and servicing, with a name."})}function ga(){return t(
Vo,{title:"Inspection rules",path:"/v1/inspection_rules",key_:"inspection_rules",command:"corten inspection rule list",none:"An inspection rule changes a node b\
y what inspection found."})}function va(){return t(V,{title:"There is no such screen",children:t("p",{children:[t("a",{href:P([]),children:"Go to the fleet"}),", or press ",t("kbd",{children:"\
Ctrl K"})," to find something."]})})}function ba(){let e=D("/corten/v1/webhooks",{every:5e3}),[n,o]=g(null);return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"\
Webhooks"}),t("span",{class:"spring"}),t(ve,{commands:{corten:"corten webhook list",curl:ce("GET","/corten/v1/webhooks")}})]}),t(ee,{doc:e,lines:5,children:r=>r.
webhooks.length===0?t(V,{title:"No webhooks",children:[t("p",{children:"A webhook has every event posted to an address of yours, in order and at least once."}),
t("code",{children:"corten webhook create URL"})]}):t("div",{class:"cards",children:r.webhooks.map(s=>t(rc,{one:s,onLetters:()=>o(s),reload:e.reload},s.uuid))})}),
n!==null&&t(sc,{webhook:n,onClose:()=>o(null)})]})}function rc({one:e,onLetters:n,reload:o}){let[r,s]=g(!1),a=`/corten/v1/webhooks/${E(e.uuid)}`,i=Math.max(0,Ne.
value-e.cursor),l=e.enabled?e.failures>0?"failed":"in_use":"held",u=async()=>{s(!0);try{let c=await j("POST",`${a}/test`);c?.delivered===!0?W(`Delivered: status\
 ${c.status??""}, ${c.duration_ms} ms.`):Z("The test was not delivered",new Error(c?.error??"no reason is known"))}catch(c){Z("The test was refused",c)}s(!1)},f=async()=>{
try{await j("PATCH",a,{enabled:!e.enabled}),o()}catch(c){Z("The change was refused",c)}};return t(R,{level:3,title:t(T,{children:[t(z,{look:l})," ",e.description??
e.url]}),children:[t(_e,{rows:[["Address",t("code",{children:e.url})],["State",e.enabled?e.failures>0?`failed ${fe(e.failures,"time")}`:"delivering":`disabled${e.
disabled_reason===null?"":`: ${e.disabled_reason}`}`],["Behind",i===0?"nothing":fe(i,"event")],["Kinds",e.kinds.length===0?"all":e.kinds.join(", ")],["Node",e.node],
["Project",e.project],["Last success",e.last_success===null?null:t(Pe,{at:e.last_success,ago:!0})],["Next attempt",e.next_attempt===null?null:`in ${ke(new Date().
toISOString(),Date.parse(e.next_attempt))}`],["Last error",e.last_error===null?null:t("span",{class:"wrong",children:e.last_error})],["Sender",e.sender]]}),t("p",
{class:"row",children:[t(_,{small:!0,busy:r,why:se(me.value,"corten:webhook:test"),onClick:()=>{u()},children:"Test"}),t(_,{small:!0,onClick:n,children:"Dead le\
tters"}),t(_,{small:!0,kind:"quiet",why:se(me.value,"corten:webhook:update"),onClick:()=>{f()},children:e.enabled?"Disable":"Enable"})]})]})}function sc({webhook:e,
onClose:n}){let o=`/corten/v1/webhooks/${E(e.uuid)}`,r=D(`${o}/dead-letters`),s=async l=>{try{await j("POST",`${o}/replay`,l),W("They are delivered once more."),
r.reload()}catch(u){Z("The replay was refused",u)}},a=se(me.value,"corten:webhook:replay"),i=r.data.value?.dead_letters.length??0;return t(re,{wide:!0,title:`De\
ad letters of ${e.description??e.url}`,onClose:n,foot:t(T,{children:[t(_,{onClick:n,children:"Close"}),t(_,{kind:"main",why:a??(i===0?"there are none":null),onClick:()=>{
s({dead_letters:!0})},children:"Deliver all again"})]}),children:t(ee,{doc:r,children:l=>l.dead_letters.length===0?t(V,{title:"Everything was delivered",children:"\
Events that could not be delivered after all attempts are put aside here."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t(
"tr",{children:[t("th",{scope:"col",class:"num",children:"cursor"}),t("th",{scope:"col",children:"event"}),t("th",{scope:"col",class:"num",children:"attempts"}),
t("th",{scope:"col",children:"why not"}),t("th",{scope:"col"})]})}),t("tbody",{children:l.dead_letters.map(u=>t("tr",{children:[t("td",{class:"num",children:J(u.
cursor)}),t("td",{children:[u.event.node_name??""," ",u.event.kind??""," ",u.event.text??""]}),t("td",{class:"num",children:u.attempts}),t("td",{class:"wrong wr\
ap",children:u.last_error}),t("td",{children:t(_,{small:!0,kind:"quiet",why:a??(u.replay?"it is being delivered":null),onClick:()=>{s({dead_letter:u.cursor})},children:"\
Again"})})]},u.cursor))})]})})})})}function ac(e){return/[\s:"]/.test(e)?`"${e.replaceAll('"',"")}"`:e}function ya(){let[e,n]=g(""),[o,r]=g([]),[s,a]=g(0),i=U(null),l=()=>wt.value=!1;L(()=>{let p=e.
trim();if(a(0),p===""){r([]);return}let w=new AbortController,S=window.setTimeout(()=>{Y(`/corten/v1/nodes?limit=8&q=${E(ac(p))}`,w.signal).then(k=>r(k.nodes),()=>r(
[]))},120);return()=>{window.clearTimeout(S),w.abort()}},[e]);let u=e.trim().toLowerCase(),f=p=>u===""||p.toLowerCase().includes(u),c=qe.value[0]==="nodes"?qe.value[1]:
void 0,m=[...o.map(p=>({id:p.uuid,kind:"Node",label:p.name??p.uuid,row:p,run:()=>ge(P(["nodes",p.name??p.uuid]))})),...c===void 0?[]:ot.filter(p=>f(p.label)).map(
p=>({id:`verb-${p.verb}`,kind:"Verb",label:`${p.label} ${c}`,run:()=>ge(P(["nodes",c],{do:p.verb}))})),...Go.filter(p=>f(p.label)).map(p=>({id:`screen-${p.word}`,
kind:"Screen",label:p.label,run:()=>ge(P(p.word===""?[]:[p.word]))})),...Je.value.filter(p=>f(p.name)).map(p=>({id:`view-${p.name}`,kind:"View",label:p.name,run:()=>ge(
P(["nodes"],{q:p.q,sort:p.sort}))})),...u===""?[]:[{id:"search",kind:"Filter",label:`Nodes that match ${e.trim()}`,run:()=>ge(P(["nodes"],{q:e.trim()}))}]],h=Math.
min(s,m.length-1),d=p=>{p!==void 0&&(l(),p.run())};return L(()=>{i.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({block:"nearest"})},[h]),t(re,
{title:"Find",onClose:l,class:"palette",children:[t("input",{class:"input palette-input",placeholder:"Name, MAC, address, screen or verb","aria-label":"Find",role:"\
combobox","aria-expanded":"true","aria-controls":"palette-list","aria-activedescendant":m[h]===void 0?void 0:`palette-${h}`,autofocus:!0,autocomplete:"off",spellcheck:!1,
value:e,onInput:p=>n(p.currentTarget.value),onKeyDown:p=>{if(p.key==="ArrowDown")a(Math.min(h+1,m.length-1));else if(p.key==="ArrowUp")a(Math.max(h-1,0));else if(p.
key==="Enter")d(m[h]);else return;p.preventDefault()}}),t("ul",{class:"palette-list",role:"listbox",id:"palette-list","aria-label":"Found",ref:i,children:m.map(
(p,w)=>t("li",{id:`palette-${w}`,role:"option","aria-selected":w===h,class:"palette-row",onMouseMove:()=>a(w),onClick:()=>d(p),children:[t("span",{class:"palett\
e-kind",children:p.kind}),t("span",{class:"palette-label",children:p.label}),p.row!==void 0&&t(et,{state:p.row.provision_state,maintenance:p.row.maintenance})]},
p.id))}),m.length===0&&t("p",{class:"faint palette-none",children:"Nothing has this in its name."})]})}function _a(){let[e,n]=g(),[o,r]=g("password"),[s,a]=g({user_domain:"Default",project_domain:"Default"}),[i,l]=g(null),[u,f]=g(!1);L(()=>{Y("/corten/v1/session").
then(n,()=>n({mode:"http_basic",is_signed_in:!1}))},[]);let c=(d,p,w="text",S=!1)=>t(H,{label:p,children:k=>t("input",{id:k,class:"input",type:w,name:d,autofocus:S,
autocomplete:w==="password"?"current-password":d==="username"?"username":"off",value:s[d]??"",onInput:b=>{let{value:v}=b.currentTarget;a(y=>({...y,[d]:v}))}})},
d),m=()=>{if(e?.mode!=="keystone"){let w={username:s.username,password:s.password},S=s.project??"";return e?.mode==="local"&&S!==""?{...w,project:S}:w}if(o==="t\
oken")return{token:s.token};if(o==="credential")return{application_credential:{id:s.id,secret:s.secret}};let d={username:s.username,password:s.password,user_domain:s.
user_domain},p=s.project??"";return p===""?{...d,system:!0}:{...d,project:p,project_domain:s.project_domain}},h=async()=>{f(!0),l(null);try{await Hr(m())}catch(d){
l(d instanceof xe&&d.status===401?"Name or password is wrong.":d instanceof Error?d.message:String(d))}f(!1)};return t(re,{title:"Sign in to Corten",onClose:()=>{},
class:"signin",children:t("form",{class:"form",onSubmit:d=>{d.preventDefault(),h()},children:[e?.mode==="keystone"&&t("div",{class:"segmented",role:"radiogroup",
"aria-label":"Sign in by",children:["password","token","credential"].map(d=>t("label",{children:[t("input",{type:"radio",name:"way",checked:o===d,onChange:()=>r(
d)}),t("span",{children:d==="credential"?"application credential":d})]},d))}),(e?.mode!=="keystone"||o==="password")&&t(T,{children:[c("username","Name","text",
!0),c("password","Password","password")]}),e?.mode==="local"&&c("project","Project (empty: as your roles say)"),e?.mode==="keystone"&&o==="password"&&t("div",{class:"\
pair",children:[c("user_domain","Domain of the user"),c("project","Project (empty: the system)")]}),e?.mode==="keystone"&&o==="token"&&c("token","Token","passwo\
rd",!0),e?.mode==="keystone"&&o==="credential"&&t(T,{children:[c("id","Id","text",!0),c("secret","Secret","password")]}),i!==null&&t("p",{class:"wrong",role:"al\
ert",children:i}),t(_,{kind:"main",type:"submit",busy:u,children:"Sign in"})]})})}var zo=[{word:"",label:"Fleet",key:"f"},{word:"nodes",label:"Nodes",key:"n"},{word:"events",label:"Events",key:"e"},{word:"conductors",label:"Conductors",key:"c"},
{word:"allocations",label:"Allocations",key:"a"}],wa=[{word:"enrol",label:"Enrol machines"},{word:"templates",label:"Deploy templates"},{word:"runbooks",label:"\
Runbooks"},{word:"rules",label:"Inspection rules"},{word:"webhooks",label:"Webhooks"},{word:"me",label:"Me and my rules"}],Go=[...zo,...wa];function ka({children:e}){
let n=qe.value[0]??"";L(()=>(document.addEventListener("keydown",Po),document.addEventListener("click",ko),()=>{document.removeEventListener("keydown",Po),document.
removeEventListener("click",ko)}),[]);let o=qe.value.join("/");L(()=>{let s=Go.find(a=>a.word===n);qe.value[1]===void 0&&(document.title=s===void 0?"Corten":`${s.
label} \xB7 Corten`),document.activeElement===document.body&&document.getElementById("main")?.focus({preventScroll:!0})},[o]),We([...zo.map(s=>({keys:`g ${s.key}`,
about:`go to ${s.label.toLowerCase()}`,run:()=>ge(P(s.word===""?[]:[s.word]))})),{keys:"?",about:"show these keys",run:()=>ln.value=!0}]);let r=we.value==="lost";
return t(T,{children:[t("a",{class:"skip",href:"#main",children:"Skip to content"}),t("header",{class:"bar",children:[t("a",{class:"brand",href:P([]),children:[
t("span",{class:"brand-mark","aria-hidden":"true",children:[t("i",{}),t("i",{}),t("i",{})]}),"Corten"]}),t("nav",{class:"nav","aria-label":"Screens",children:zo.
map(s=>t("a",{class:"nav-link",href:P(s.word===""?[]:[s.word]),"aria-current":n===s.word?"page":void 0,children:s.label},s.word))}),t("div",{class:"bar-end",children:[
t("button",{type:"button",class:"button button-quiet find",onClick:()=>wt.value=!0,children:[t(N,{name:"search"})," ",t("span",{class:"find-word",children:"Find"}),
" ",t("kbd",{children:"Ctrl K"})]}),t(ic,{}),t(cc,{})]})]}),me.value?.mode==="noauth"&&t("p",{class:"banner",children:[t(N,{name:"lock"})," No sign-in is set up\
: everybody who reaches this service may do everything."]}),r&&t(lc,{}),t("main",{id:"main",class:r?"main main-stale":"main",tabIndex:-1,children:e}),t(qr,{}),wt.
value&&t(ya,{}),ln.value&&t(dc,{}),Xe.value&&t(_a,{})]})}function ic(){let e={connecting:"connecting",live:"live",lost:"connection lost",paused:"paused"};return t(
"span",{class:`live live-${we.value}`,title:e[we.value],children:[t("span",{class:"live-dot","aria-hidden":"true"}),t("span",{class:"live-word",children:e[we.value]})]})}
function lc(){let e=(mt.value-en.value)/1e3;return t("div",{class:"lost",role:"alert",children:[t(N,{name:"warn"}),t("span",{children:["The service does not ans\
wer. What you see is from"," ",t("time",{dateTime:new Date(en.value).toISOString(),title:ht(new Date(en.value).toISOString()),children:[ye(e)," ago"]}),"."]}),t(
_,{small:!0,onClick:Nn,children:"Try now"})]})}function cc(){let e=me.value,n=[...wa.map(r=>({label:r.label,onPick:()=>ge(P([r.word]))})),{label:"Light",checked:He.
value==="light",onPick:()=>Bt("light")},{label:"Dark",checked:He.value==="dark",onPick:()=>Bt("dark")},{label:"As the system",checked:He.value==="system",onPick:()=>Bt(
"system")},{label:"Letters are keys",checked:Fe.value,onPick:()=>Fe.value=!Fe.value},{label:"Keyboard",onPick:()=>ln.value=!0},...e!==void 0&&e.mode!=="noauth"?
[{label:"Sign out",onPick:()=>{Jr().catch(r=>Z("Signing out failed",r))}}]:[]],o=In(e);return t(Ve,{kind:"quiet",right:!0,name:o===""?"Menu":`Menu of ${o}`,label:t(
"span",{class:"who",children:o===""?"Menu":o}),choices:n})}var uc=[["Ctrl K","find a node, a screen or a command"],["Esc","close, then clear"]];function dc(){let e=new Map(
uc);for(let n of Mo())e.set(n.keys===" "?"Space":n.keys,n.about);return t(re,{title:"Keys of this screen",onClose:()=>ln.value=!1,children:[t("dl",{class:"keys",
children:[...e].map(([n,o])=>t("div",{class:"keys-row",children:[t("dt",{children:n.split(" ").map(r=>t("kbd",{children:r},r))}),t("dd",{children:o})]},n))}),!Fe.
value&&t("p",{class:"faint",children:"Single letters are switched off; the menu switches them on."})]})}function pc(){let[e,n]=qe.value;switch(e){case void 0:return t(xs,{});case"nodes":return n===void 0?t(pa,{}):t(Zs,{ident:n},n);case"events":return t(ms,{});case"\
conductors":return t(es,{});case"allocations":return t(Qr,{});case"enrol":return t(ls,{});case"templates":return t(ma,{});case"runbooks":return t(ha,{});case"ru\
les":return t(ga,{});case"webhooks":return t(ba,{});case"me":return t(Ss,{});default:return t(va,{})}}function fc(){return t(ka,{children:t(Mn,{children:t(pc,{})},
qe.value.join("/"))})}var xa=document.getElementById("app");xa!==null&&dr(t(fc,{}),xa);Dn();jr();
